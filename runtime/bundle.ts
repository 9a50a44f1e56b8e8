/** The artefact of compilation: everything an evaluator needs, as JSON. */
import type { JsonObject } from "./cel/value.ts";
import type { Match } from "./decide/glob.ts";
import type { PolicyType } from "./decide/policy-name.ts";

/** The units of a policy set. Units of one shape share one text. */
export interface Bundle {
  readonly manifest: Manifest;
  /** Shape digest -> program text of a factory `(rt, k) => unit`. */
  readonly shapes: { readonly [digest: string]: string };
  /** Ordered by id. */
  readonly units: readonly BundledUnit[];
}

/** What a bundle is, and how it was made. */
export interface Manifest {
  readonly format: 1;
  readonly compilerVersion: string;
  /** Digest over shapes and units: the identity of the policy set. */
  readonly digest: string;
}

/** What turns one bundle into the next. */
export interface BundleChange {
  /** The digest of the bundle that it builds on. */
  readonly from: string;
  /** Of the bundle that comes out. */
  readonly manifest: Manifest;
  /** Those that are new, by digest. */
  readonly shapes: { readonly [digest: string]: string };
  /** Those that are new or changed. */
  readonly units: readonly BundledUnit[];
  /** Ids of units that are no more. */
  readonly removed: readonly string[];
}

/** One unit: what it is called, what it is made of. */
export interface BundledUnit {
  /** `<type> <name>@<version>`. */
  readonly id: string;
  readonly type: PolicyType;
  /** Sanitised; `writtenName` as the author wrote it, which is what roles are compared with. */
  readonly name: string;
  readonly writtenName: string;
  readonly version: string;
  /** Digest over everything the unit is made of: equal digests behave equally. */
  readonly digest: string;
  readonly shape: string;
  /** What differs between units of one shape: literals, roles, actions. JSON, in the order of the text's holes. */
  readonly constants: readonly ConstantValue[];
  readonly scopes: readonly BundledScope[];
  /** JSON text of the conditions and variables as trees, parsed at the first error met (D43). */
  readonly trees: string;
}

/** What is known of one policy of a unit without running it. */
export interface BundledScope {
  readonly scope: string;
  /** The policy key that decisions report. */
  readonly key: string;
  /** Patterns of roles (resource policy) or of kinds (principal and role policies), as written: what `Matched` counts. */
  readonly patterns: readonly string[];
  /** Actions and indexes into `patterns` of each row: which rows were considered is known without running them. */
  readonly rows: readonly { readonly actions: readonly Match[]; readonly patterns: readonly number[] }[];
  /** Of a role policy. */
  readonly parentRoles?: readonly string[] | undefined;
  /** Of a resource policy: those in effect. */
  readonly schemas?: BundledSchemas | undefined;
  /** What audit entries say of where it came from. */
  readonly sourceAttributes: JsonObject;
}

/** The schemas that a policy refers to, as written. */
export interface BundledSchemas {
  readonly principal?: BundledSchemaReference;
  readonly resource?: BundledSchemaReference;
}

/** A reference to a schema, and for which actions nothing is validated: only where every action of a request matches. */
export interface BundledSchemaReference {
  readonly ref: string;
  readonly ignoreWhen: readonly string[];
}

/** JSON cannot say int, uint or bytes, so these come wrapped. */
export type ConstantValue =
  | null
  | boolean
  | number
  | string
  | readonly ConstantValue[]
  | { readonly int: string }
  | { readonly uint: string }
  | { readonly bytes: string }
  | { readonly double: "NaN" | "Infinity" | "-Infinity" | "-0" }
  | { readonly object: readonly (readonly [string, ConstantValue])[] };
