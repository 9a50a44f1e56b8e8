/** The declarations of a built module: the types of its policies, and its exports typed by them. */
import { sanitiseName } from "../../runtime/decide/policy-name.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** The exports of a module; they have the types of the library. */
const exportDeclarations = `
/** Decides a request, synchronously. Throws an error named \`RequestError\`, which lists everything that is wrong, when the request is invalid. */
export declare const check: import("authz").Door<Policies>["check"];
/** Returns whether one action is allowed. Throws like \`check\`. */
export declare const isAllowed: import("authz").Door<Policies>["isAllowed"];
/** Returns both functions with other settings. */
export declare const open: (settings?: import("authz").DoorSettings) => import("authz").Door<Policies>;
/** What the module was built from, and for which target. */
export declare const manifest: {
  readonly target: "node" | "browser" | "worker";
  readonly compilerVersion: string;
  readonly version: string;
  readonly policySet: string;
  readonly policies: readonly string[];
  readonly interpreter: boolean;
  readonly schemas: "none" | "warn" | "reject";
  readonly kinds?: readonly string[];
};
`;

/** Appends the declarations of the exports to those of the policies. */
export const moduleDeclarations = (declarations: string): string => declarations + exportDeclarations;

/** Limits a vocabulary to some kinds, which may be named as in policies or in keys of policies (`leave_request`). */
export function limitToKinds(vocabulary: Vocabulary, kinds: readonly string[] | undefined): Vocabulary {
  if (kinds === undefined) return vocabulary;
  const wanted = new Set(kinds.map(sanitiseName));
  return { ...vocabulary, kinds: vocabulary.kinds.filter(({ name }) => wanted.has(sanitiseName(name))) };
}

/**
 * Returns the path at which TypeScript looks for a module's declarations: `policies.d.mts` for `policies.mjs`; undefined for other file
 * names.
 */
export function declarationsPath(module: string): string | undefined {
  const [, base, ending] = /^(.+)\.(m?)js$/.exec(module) ?? [];
  return base === undefined ? undefined : `${base}.d.${ending ?? ""}ts`;
}
