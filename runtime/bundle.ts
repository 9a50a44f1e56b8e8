/** The format of a compiled policy set (bundle), as JSON. */
import type { JsonObject } from "./cel/value.ts";
import type { Match } from "./decide/glob.ts";
import type { PolicyType } from "./decide/policy-name.ts";

/** The units of a policy set. Units of one shape share one program text. */
export interface Bundle {
  readonly manifest: Manifest;
  /** Shape digest -> program text of a factory `(rt, k) => unit`. */
  readonly shapes: { readonly [digest: string]: string };
  /** Ordered by id. */
  readonly units: readonly BundledUnit[];
}

/** Identifies a bundle and the compiler that made it. */
export interface Manifest {
  readonly format: 1;
  readonly compilerVersion: string;
  /** Digest over shapes and units: identifies the policy set. */
  readonly digest: string;
}

/** The difference between one bundle and the next. */
export interface BundleChange {
  /** Digest of the bundle that it applies to. */
  readonly from: string;
  /** Manifest of the resulting bundle. */
  readonly manifest: Manifest;
  /** New shapes by digest. */
  readonly shapes: { readonly [digest: string]: string };
  /** New or changed units. */
  readonly units: readonly BundledUnit[];
  /** Ids of removed units. */
  readonly removed: readonly string[];
}

/** One unit: the policies of one type, name and version, in all scopes. */
export interface BundledUnit {
  /** `<type> <name>@<version>`. */
  readonly id: string;
  readonly type: PolicyType;
  /** Sanitised; `writtenName` is as written by the author, which is what roles are compared with. */
  readonly name: string;
  readonly writtenName: string;
  readonly version: string;
  /** Digest over everything the unit consists of. Units with equal digests behave the same. */
  readonly digest: string;
  readonly shape: string;
  /** The differences between units of one shape: literals, roles, actions. JSON, in the order of their use in the text. */
  readonly constants: readonly ConstantValue[];
  readonly scopes: readonly BundledScope[];
  /** Conditions and variables as trees, as JSON text; parsed when the first error is to be reported (D43). */
  readonly trees: string;
}

/** The data of one policy that is known without running it. */
export interface BundledScope {
  readonly scope: string;
  /** The policy key that decisions report. */
  readonly key: string;
  /**
   * Patterns of roles (resource policy) or kinds (principal and role policies), as written. `Matched` refers to them
   * by index.
   */
  readonly patterns: readonly string[];
  /** For each row its actions and indexes into `patterns`, so that the considered rows are known without running them. */
  readonly rows: readonly { readonly actions: readonly Match[]; readonly patterns: readonly number[] }[];
  /** Role policies only. */
  readonly parentRoles?: readonly string[] | undefined;
  /** Resource policies only: the schemas in effect. */
  readonly schemas?: BundledSchemas | undefined;
  /** Where the policy came from, for audit entries. */
  readonly sourceAttributes: JsonObject;
}

/** The schemas that a policy refers to, as written. */
export interface BundledSchemas {
  readonly principal?: BundledSchemaReference;
  readonly resource?: BundledSchemaReference;
}

/** A schema reference. Validation is skipped only if every action of the request matches `ignoreWhen`. */
export interface BundledSchemaReference {
  readonly ref: string;
  readonly ignoreWhen: readonly string[];
}

/** A constant as JSON. Values without a JSON form (int, uint, bytes, special doubles) are wrapped in an object. */
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
