/** The cache of linking, kept from one set to the next. It affects only speed. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type {
  DerivedRolesDocument,
  PolicyDocument,
  PrincipalPolicyDocument,
  ResourcePolicyDocument,
  RolePolicyDocument,
} from "../policy/document.ts";
import type { ExpressionCheck } from "./checked-expression.ts";
import type { DerivedRole, PrincipalPolicy, ResourcePolicy, RolePolicy } from "./policy-set.ts";

/** Keyed by documents and expressions, so entries disappear with them. */
export interface LinkCache {
  /** By parsed tree: equal texts share one tree. */
  readonly checked: WeakMap<Expression, ExpressionCheck>;
  readonly derivedRoles: CachedResults<DerivedRolesDocument, ReadonlyMap<string, DerivedRole>>;
  readonly resource: CachedResults<ResourcePolicyDocument, ResourcePolicy>;
  readonly principal: CachedResults<PrincipalPolicyDocument, PrincipalPolicy>;
  readonly role: CachedResults<RolePolicyDocument, RolePolicy>;
  /** Results of `checkUnimported`. */
  readonly unimported: CachedResults<PolicyDocument, void>;
}

/** The cached results by document. */
export type CachedResults<D extends object, T> = WeakMap<D, CachedResult<T>>;

/**
 * A result without diagnostics, and everything it depends on besides its document; valid while those are the same
 * objects.
 */
interface CachedResult<T> {
  /** What it depends on, compared by identity. */
  readonly dependencies: readonly unknown[];
  readonly result: T;
}

/** Returns an empty cache. */
export const openLinkCache = (): LinkCache => ({
  checked: new WeakMap(),
  derivedRoles: new WeakMap(),
  resource: new WeakMap(),
  principal: new WeakMap(),
  role: new WeakMap(),
  unimported: new WeakMap(),
});
