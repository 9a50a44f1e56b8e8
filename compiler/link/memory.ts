/** The cache of linking, kept from one set to the next. It changes nothing but the time that linking takes. */
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

/** Keyed by documents and their expressions: what is no longer read is forgotten with them. */
export interface LinkMemory {
  /** By the parsed tree: the same words are one tree in many policies. */
  readonly checked: WeakMap<Expression, Checking>;
  readonly derivedRoles: Memory<DerivedRolesDocument, ReadonlyMap<string, DerivedRole>>;
  readonly resource: Memory<ResourcePolicyDocument, ResourcePolicy>;
  readonly principal: Memory<PrincipalPolicyDocument, PrincipalPolicy>;
  readonly role: Memory<RolePolicyDocument, RolePolicy>;
  /** Sets looked at for themselves. */
  readonly unimported: Memory<PolicyDocument, void>;
}

/** What was linked of each document. */
export type Memory<D extends object, T> = WeakMap<D, Remembered<T>>;

/** What was linked without a word to its author, and all that it was made from besides its own document: while these stay, so does it. */
interface Remembered<T> {
  readonly from: readonly unknown[];
  readonly linked: T;
}

/** Opens an empty memory. */
export const openLinkMemory = (): LinkMemory => ({
  checked: new WeakMap(),
  derivedRoles: new WeakMap(),
  resource: new WeakMap(),
  principal: new WeakMap(),
  role: new WeakMap(),
  unimported: new WeakMap(),
});
