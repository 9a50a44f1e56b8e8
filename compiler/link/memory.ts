/** The cache of linking, kept from one set to the next. It affects only speed. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type {
  DerivedRolesDocument,
  PolicyDocument,
  PrincipalPolicyDocument,
  ResourcePolicyDocument,
  RolePolicyDocument,
} from "../policy/document.ts";
import type { Checking } from "./checked.ts";
import type { DerivedRole, PrincipalPolicy, ResourcePolicy, RolePolicy } from "./policy-set.ts";

/** Keyed by documents and expressions, so entries disappear with them. */
export interface LinkMemory {
  /** By parsed tree: equal texts share one tree. */
  readonly checked: WeakMap<Expression, Checking>;
  readonly derivedRoles: Memory<DerivedRolesDocument, ReadonlyMap<string, DerivedRole>>;
  readonly resource: Memory<ResourcePolicyDocument, ResourcePolicy>;
  readonly principal: Memory<PrincipalPolicyDocument, PrincipalPolicy>;
  readonly role: Memory<RolePolicyDocument, RolePolicy>;
  /** Results of `checkUnimported`. */
  readonly unimported: Memory<PolicyDocument, void>;
}

/** The cached results by document. */
export type Memory<D extends object, T> = WeakMap<D, Remembered<T>>;

/**
 * A result without diagnostics, and everything it depends on besides its document; valid while those are the same
 * objects.
 */
interface Remembered<T> {
  /** What it depends on, compared by identity. */
  readonly from: readonly unknown[];
  readonly linked: T;
}

/** Returns an empty cache. */
export const openLinkMemory = (): LinkMemory => ({
  checked: new WeakMap(),
  derivedRoles: new WeakMap(),
  resource: new WeakMap(),
  principal: new WeakMap(),
  role: new WeakMap(),
  unimported: new WeakMap(),
});
