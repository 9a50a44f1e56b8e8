/** The declarations of a built module: what its policies know, and its exports typed by that. */
import type { Vocabulary } from "./vocabulary.ts";

/** What a module exports; the types of its door are those of the library. */
const exported = `
/** Answers at once; throws an error named \`RequestError\`, with all that is wrong, when the request is none. */
export declare const check: import("authz").Door<Policies>["check"];
/** The same about one action: whether it is allowed. */
export declare const isAllowed: import("authz").Door<Policies>["isAllowed"];
/** The same two, with settings of their own. */
export declare const open: (settings?: import("authz").DoorSettings) => import("authz").Door<Policies>;
/** What the module is. */
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

/** Writes them: to the declarations of the policies are added those of the exports. */
export const moduleDeclarations = (declarations: string): string => declarations + exported;

/** What is left of a vocabulary in a part that decides about some kinds only. */
export const vocabularyFor = (vocabulary: Vocabulary, kinds: readonly string[] | undefined): Vocabulary =>
  kinds === undefined ? vocabulary : { ...vocabulary, kinds: vocabulary.kinds.filter(({ name }) => kinds.includes(name)) };

/** Where TypeScript looks for the declarations of a module: `policies.d.mts` beside `policies.mjs`; undefined where it looks nowhere. */
export function declarationsBeside(module: string): string | undefined {
  const [, base, ending] = /^(.+)\.(m?)js$/.exec(module) ?? [];
  return base === undefined ? undefined : `${base}.d.${ending ?? ""}ts`;
}
