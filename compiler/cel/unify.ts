/** Unification of types: type variables and their substitution, and assignability as cel-go decides it. */
import { dyn, listOf, mapOf, typeOf, type Type } from "../../runtime/cel/type.ts";

/** The bindings of the type variables of one expression. They grow while the expression is checked. */
export interface Unifier {
  readonly bindings: Map<string, Type>;
  /** Bindings to restore, last first, if an attempt fails. */
  readonly trail: (readonly [name: string, before: Type | undefined])[];
  nextVariable: number;
  /**
   * Whether a type variable that an earlier part of the expression left open was bound to a type, because a later
   * part required it.
   */
  guessed: boolean;
}

/** Returns a unifier without bindings. */
export const openUnifier = (): Unifier => ({ bindings: new Map(), trail: [], nextVariable: 0, guessed: false });

/** Returns a new, unbound type variable. Its name cannot be written in an expression. */
export const freshVariable = (unifier: Unifier): Type => ({ kind: "parameter", name: `#${unifier.nextVariable++}` });

/** The maximum size of a type. The parts of a larger one become dyn, so that the work of the checker stays bounded. */
const largest = 500;
const sizes = new WeakMap<Type, number>();

function sizeOf(type: Type): number {
  const known = sizes.get(type);
  if (known !== undefined) return known;
  const size = 1 + partsOf(type).reduce((sum, part) => sum + sizeOf(part), 0);
  sizes.set(type, size);
  return size;
}

const none: readonly Type[] = [];

function partsOf(type: Type): readonly Type[] {
  switch (type.kind) {
    case "list":
      return [type.element];
    case "map":
      return [type.key, type.value];
    case "type":
      return type.of === undefined ? none : [type.of];
    case "opaque":
      return type.parameters;
    default:
      return none;
  }
}

/** Returns the type with its parts replaced; they become dyn if they are too large. */
function rebuild(type: Type, parts: readonly Type[]): Type {
  const small = parts.reduce((sum, part) => sum + sizeOf(part), 0) < largest;
  const [first = dyn, second = dyn] = small ? parts : [];
  switch (type.kind) {
    case "list":
      return listOf(first);
    case "map":
      return mapOf(first, second);
    case "type":
      return typeOf(first);
    case "opaque":
      return { ...type, parameters: small ? parts : parts.map(() => dyn) };
    default:
      return type;
  }
}

/** Returns `list(element)`, or `list(dyn)` if the element type is too large. */
export const listType = (element: Type): Type => rebuild(listOf(dyn), [element]);
/** Returns `map(key, value)`, or `map(dyn, dyn)` if the parts are too large. */
export const mapType = (key: Type, value: Type): Type => rebuild(mapOf(dyn, dyn), [key, value]);
/** Returns `optional_type(of)`, or `optional_type(dyn)` if the part is too large. */
export const optionalType = (of: Type): Type => rebuild({ kind: "opaque", name: "optional_type", parameters: [dyn] }, [of]);

/** Replaces the bound type variables. Unbound ones stay, or become `unknown` if it is given. */
export function substitute(unifier: Pick<Unifier, "bindings">, type: Type, unknown?: Type): Type {
  if (isClosed(type)) return type;
  const done = new Map<string, Type>();
  const visit = (part: Type): Type => {
    if (part.kind === "parameter") {
      const before = done.get(part.name);
      if (before !== undefined) return before;
      const bound = unifier.bindings.get(part.name);
      const result = bound === undefined ? (unknown ?? part) : visit(bound);
      done.set(part.name, result);
      return result;
    }
    const parts = partsOf(part);
    const visited = parts.map(visit);
    return visited.every((inner, i) => inner === parts[i]) ? part : rebuild(part, visited);
  };
  return visit(type);
}

/** Whether a type contains no type variable, so that there is nothing to substitute. */
export const isClosed = (type: Type): boolean => type.kind !== "parameter" && partsOf(type).every(isClosed);

/** Replaces the type parameters of a declaration by fresh variables; the same parameter by the same variable. */
export function instantiate(unifier: Unifier, types: readonly Type[]): readonly Type[] {
  const bindings = new Map<string, Type>();
  const declare = (type: Type): void => {
    if (type.kind === "parameter" && !bindings.has(type.name)) bindings.set(type.name, freshVariable(unifier));
    partsOf(type).forEach(declare);
  };
  types.forEach(declare);
  return types.map((type) => substitute({ bindings }, type));
}

/**
 * Whether values of the types `from` are assignable to the types `to`. If so, the bindings that this needed are kept;
 * if not, they are undone. Variables numbered from `own` on were created for this question, so binding them is not a
 * guess (see `guessed`).
 */
export function assign(unifier: Unifier, from: readonly Type[], to: readonly Type[], own = unifier.nextVariable): boolean {
  const mark = unifier.trail.length;
  if (assignAll(unifier, from, to)) {
    for (let at = mark; at < unifier.trail.length && !unifier.guessed; at++)
      unifier.guessed = isGuess(unifier, unifier.trail[at]?.[0], own);
    return true;
  }
  while (unifier.trail.length > mark) {
    const [name, before] = unifier.trail.pop() ?? ["", undefined];
    if (before === undefined) unifier.bindings.delete(name);
    else unifier.bindings.set(name, before);
  }
  return false;
}

/**
 * Whether an older variable was bound to a concrete type. Bound to another variable or to dyn, it still accepts all
 * types.
 */
function isGuess({ bindings }: Unifier, name: string | undefined, own: number): boolean {
  const type = name === undefined ? undefined : bindings.get(name);
  return name !== undefined && type !== undefined && Number(name.slice(1)) < own && type.kind !== "parameter" && !isDynamicOrError(type);
}

function bind(unifier: Unifier, name: string, type: Type): void {
  unifier.trail.push([name, unifier.bindings.get(name)]);
  unifier.bindings.set(name, type);
}

const assignAll = (unifier: Unifier, from: readonly Type[], to: readonly Type[]): boolean =>
  from.length === to.length && from.every((type, i) => assignOne(unifier, type, to[i] ?? dyn));

function assignOne(unifier: Unifier, from: Type, to: Type): boolean {
  if (to.kind === "parameter") {
    const outcome = unifyVariable(unifier, to.name, from);
    if (outcome !== "cyclic") return outcome === "agreed";
  }
  if (from.kind === "parameter") return unifyVariable(unifier, from.name, to) === "agreed";
  if (isDynamicOrError(from) || isDynamicOrError(to)) return true;
  if (from.kind === "null" || to.kind === "null") return takesNull(from) && takesNull(to);
  switch (from.kind) {
    case "list":
      return to.kind === "list" && assignOne(unifier, from.element, to.element);
    case "map":
      return to.kind === "map" && assignOne(unifier, from.key, to.key) && assignOne(unifier, from.value, to.value);
    case "opaque":
      return to.kind === "opaque" && from.name === to.name && assignAll(unifier, from.parameters, to.parameters);
    case "message":
      return to.kind === "message" && from.name === to.name;
    // Two type values are always comparable, whatever types they denote.
    default:
      return from.kind === to.kind;
  }
}

/** Whether a type is compatible with every other: dyn, and the type of an expression whose error was reported already. */
export const isDynamicOrError = (type: Type): boolean => type.kind === "dyn" || type.kind === "error";

const takesNull = (type: Type): boolean =>
  type.kind === "null" || type.kind === "opaque" || type.kind === "message" || type.kind === "timestamp" || type.kind === "duration";

/** Binds a variable to a type. An earlier binding must be compatible; the more general of the two is kept. */
function unifyVariable(unifier: Unifier, variable: string, type: Type): "agreed" | "contradicted" | "cyclic" {
  if (type.kind === "parameter" && type.name === variable) return "agreed";
  const before = unifier.bindings.get(variable);
  if (before === undefined) {
    if (occursIn(unifier, variable, type)) return "cyclic";
    bind(unifier, variable, type);
    return "agreed";
  }
  if (sameType(type, before)) return "agreed";
  if (!assignOne(unifier, type, before)) return "contradicted";
  const general = moreGeneral(type, before);
  if (!occursIn(unifier, variable, general)) bind(unifier, variable, general);
  return "agreed";
}

function occursIn(unifier: Unifier, variable: string, type: Type): boolean {
  const seen = new Set<string>();
  const visit = (part: Type): boolean => {
    if (part.kind !== "parameter") return partsOf(part).some(visit);
    if (part.name === variable) return true;
    if (seen.has(part.name)) return false;
    seen.add(part.name);
    const bound = unifier.bindings.get(part.name);
    return bound !== undefined && visit(bound);
  };
  return visit(type);
}

/** Returns the more general of two compatible types. */
export const moreGeneral = (a: Type, b: Type): Type => (isAsGeneral(a, b) ? a : b);

function isAsGeneral(a: Type, b: Type): boolean {
  if (a.kind === "dyn" || a.kind === "parameter") return true;
  if (b.kind === "dyn" || b.kind === "parameter" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.kind === "opaque" || a.kind === "list" || a.kind === "map") {
    const [left, right] = [partsOf(a), partsOf(b)];
    return nameOf(a) === nameOf(b) && left.length === right.length && left.every((part, i) => isAsGeneral(part, right[i] ?? dyn));
  }
  return nameOf(a) === nameOf(b);
}

const nameOf = (type: Type): string => ("name" in type ? type.name : "");

/** Whether two types are equal. */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || nameOf(a) !== nameOf(b)) return false;
  const [left, right] = [partsOf(a), partsOf(b)];
  return left.length === right.length && left.every((part, i) => sameType(part, right[i] ?? dyn));
}

/** Returns the type of the value in an optional, or undefined for any other type. */
export const insideOptional = (type: Type): Type | undefined =>
  type.kind === "opaque" && type.name === "optional_type" ? (type.parameters[0] ?? dyn) : undefined;
