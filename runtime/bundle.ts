/** The artefact of compilation: everything an evaluator needs, as JSON. */

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

/** One unit: what it is called, what it is made of. */
export interface BundledUnit {
  /** `resource <name>@<version>`. */
  readonly id: string;
  readonly type: "resource";
  readonly name: string;
  readonly version: string;
  /** Digest over everything the unit is made of: equal digests behave equally. */
  readonly digest: string;
  readonly shape: string;
  /** What differs between units of one shape: literals, roles, actions. JSON, in the order of the text's holes. */
  readonly constants: readonly ConstantValue[];
  readonly scopes: readonly { readonly scope: string; readonly key: string }[];
  /** JSON text of the conditions and variables as trees, parsed at the first error met (D43). */
  readonly trees: string;
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
