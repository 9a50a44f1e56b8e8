/** Recorded exchanges that are not asked again, each with its reason. */
import type { Exchange } from "./exchanges.ts";

/** Some exchanges, and why they are left out. */
export interface LeftOut {
  readonly because: string;
  readonly of: (exchange: Exchange) => boolean;
}

const after = [
  "policy_disabled", // asked after a policy was disabled
].map((name) => `live_update_http/${name}`);

/** All of them. */
export const elsewhere: readonly LeftOut[] = [
  {
    because: "the interface does not show the other calls that administer policies and the store, and they are not served",
    of: ({ request: { method, path } }) =>
      /^\/admin\/(policies|store)\b/.test(path) ||
      /^\/admin\/policy\/(disable|enable|delete)\b/.test(path) ||
      (/^\/admin\/policy\b/.test(path) && !["POST", "PUT"].includes(method)) ||
      /AdminService\/(ListPolicies|DisablePolicy)$/.test(path),
  },
  {
    because: "what it is answered with follows from such a call",
    of: ({ name }) => after.includes(name),
  },
];
