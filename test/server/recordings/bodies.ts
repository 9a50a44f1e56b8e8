/** The few bodies that were too long to be recorded whole, made again. */
import { exchangesOf } from "./exchanges.ts";

const album = { actions: ["view", "delete"], resource: { kind: "album", id: "a1", attr: { owner: "bugs", public: true } } };
const asks = (requestId: string, resources: readonly object[]): string =>
  JSON.stringify({ requestId, principal: { id: "bugs", roles: ["user"], attr: { department: "marketing" } }, resources });

const schemas = (count: number, nameOf: (index: number) => string): string => {
  const stored = exchangesOf("admin_http").find(({ name }) => name === "admin_http/schema_put")?.request.body ?? "";
  const { definition } = JSON.parse(stored).schemas[0];
  return JSON.stringify({ schemas: Array.from({ length: count }, (_, index) => ({ id: nameOf(index), definition })) });
};

const made: { readonly [name: string]: () => string } = {
  "check_http/limit_resources_default_51": () =>
    asks(
      "r1",
      Array.from({ length: 51 }, () => album),
    ),
  "check_http/oversized_5MiB": () => asks("x".repeat(5 * 1024 * 1024), [album]),
  "check_http/just_below_4MiB": () => asks("x".repeat(4 * 1024 * 1024 - 2000), [album]),
  "extra_http/very_deep_nesting": () => `{"principal":{"id":"x","roles":["u"],"attr":{"n":${"[".repeat(20_000)}${"]".repeat(20_000)}}}}`,
  "admin_http/schema_100": () => schemas(100, (index) => `s${String(index).padStart(3, "0")}.json`),
  "admin_policies_http/add_101": () => policies(101),
  "authzen_playground_audit_http/pg_validate_31": () => "{}",
  "admin_http/schema_101": () => schemas(101, (index) => `s${index}.json`),
};

const policies = (count: number): string =>
  JSON.stringify({
    policies: Array.from({ length: count }, (_, index) => ({
      apiVersion: "api.authz.dev/v1",
      resourcePolicy: {
        version: "20210210",
        resource: `doc${index}`,
        rules: [{ actions: ["*"], effect: "EFFECT_ALLOW", roles: ["*"] }],
      },
    })),
  });

const short = /\.\.\.<\d+ chars total>$/;

/** Returns the body that was sent. */
export function wholeBody(name: string, recorded: string | null): Buffer | null {
  if (recorded === null) return null;
  if (recorded.startsWith("base64:")) return Buffer.from(recorded.slice("base64:".length), "base64");
  if (!short.test(recorded)) return Buffer.from(recorded);
  const make = made[name];
  if (make === undefined) throw new Error(`the body of ${name} was not recorded whole`);
  return Buffer.from(make());
}

/** Was an answer recorded only in part? */
export const isCut = (body: string | null): boolean => body !== null && /\.\.\.<truncated, \d+ chars total>$/.test(body);
