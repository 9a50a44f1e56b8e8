/** Determines from a unit's trees which parts of a request its conditions read, and what they compare them with. */
import type { Expression } from "../../cel/ast.ts";
import { unreachable } from "../../cel/error.ts";
import { Uint } from "../../cel/value.ts";
import type { CompiledExpression, Condition } from "../../decide/condition.ts";
import type { Names, UnitTrees } from "../../decide/trees.ts";

/** A part of a request that is read: its fields, its elements, and the values it is compared with. */
export interface Place {
  readonly fields: Map<string, Place>;
  /** Set if something iterates over it or takes one of its elements. */
  elements: Place | undefined;
  readonly near: Set<Scalar>;
  /** Whether it may be compared with the principal's id. */
  isNearPrincipal: boolean;
}

/** A JSON scalar. */
export type Scalar = null | boolean | number | string;

/** The parts read of each message. */
export interface Reads {
  readonly principal: Place;
  readonly resource: Place;
  readonly claims: Place;
  readonly globals: Place;
}

/** Bounds: expressions analysed, and values kept for each part, because a unit may have thousands. */
const maxExpressions = 2000;
const maxNear = 24;

/** Returns the parts that a unit reads. */
export function readsOf(trees: UnitTrees): Reads {
  const reads: Reads = { principal: openPlace(), resource: openPlace(), claims: openPlace(), globals: openPlace() };
  let looked = 0;
  for (const [index, policy] of trees.policies.entries()) {
    const ofPolicy = variablesOf(policy);
    const expressions = policy.variables.map(({ expression }) => expression);
    for (const question of trees.questions) {
      if (question.policy !== index) continue;
      if (question.kind === "rule") expressions.push(...leavesOf(question.condition));
      if (question.kind === "output") expressions.push(question.expression);
    }
    for (const expression of expressions) if (looked++ < maxExpressions) readExpression(expression, ofPolicy, reads);
    for (const role of policy.derivedRoles) {
      const ofRole = variablesOf(role);
      const own = [
        ...role.variables.map(({ expression }) => expression),
        ...(role.condition === undefined ? [] : leavesOf(role.condition)),
      ];
      for (const expression of own) if (looked++ < maxExpressions) readExpression(expression, ofRole, reads);
    }
  }
  return reads;
}

const openPlace = (): Place => ({ fields: new Map(), elements: undefined, near: new Set(), isNearPrincipal: false });

/** The names in V and C, as expressions see them. */
interface Known {
  readonly variables: ReadonlyMap<string, Expression>;
  readonly constants: Names["constants"];
}

const variablesOf = ({ variables, constants }: Names): Known => ({
  variables: new Map(variables.map(({ name, expression }) => [name, expression.tree])),
  constants,
});

function leavesOf(condition: Condition): readonly CompiledExpression[] {
  return condition.kind === "expression" ? [condition.expression] : condition.of.flatMap(leavesOf);
}

/** Collects the parts and the literals of an expression: each part may be compared with each literal. */
function readExpression({ tree }: CompiledExpression, known: Known, reads: Reads): void {
  const places: Place[] = [];
  const values: Scalar[] = [];
  let asksWho = false;
  /** `depth` bounds variables within variables. */
  const walk = (of: Expression, locals: ReadonlyMap<string, Place | undefined>, depth: number): Place | undefined => {
    const found = placeOf(of, locals, depth);
    if (found !== undefined) {
      places.push(found);
      return found;
    }
    if (of.kind === "literal") values.push(...scalarsOf(of.value));
    if (of.kind === "select") asksWho ||= isWho(of, locals);
    if (of.kind === "call") {
      values.push(...(usual.get(of.function) ?? []));
      // What is searched for in a list is compared with its elements.
      if (ofLists.has(of.function))
        for (const part of partsOf(of)) {
          const range = placeOf(part, locals, depth);
          if (range !== undefined && (of.function !== "@in" || part === of.args[1])) places.push(elementsOf(range));
        }
    }
    if (of.kind === "loop") {
      const range = walk(of.range, locals, depth);
      const element = range === undefined ? undefined : elementsOf(range);
      const inside = new Map(locals);
      for (const name of of.variables) inside.set(name, undefined);
      inside.set(of.variables.at(-1) ?? "", element);
      for (const part of [of.body, ...(of.filter === undefined ? [] : [of.filter])]) walk(part, inside, depth);
      return undefined;
    }
    if (of.kind === "bind" || of.kind === "optionalMap") {
      const taken = walk(of.kind === "bind" ? of.init : of.target, locals, depth);
      walk(of.body, new Map([...locals, [of.kind === "bind" ? of.name : of.variable, taken]]), depth);
      return undefined;
    }
    for (const part of partsOf(of)) walk(part, locals, depth);
    return undefined;
  };
  const placeOf = (of: Expression, locals: ReadonlyMap<string, Place | undefined>, depth: number): Place | undefined => {
    if (of.kind === "identifier") return locals.get(of.name);
    if (of.kind === "call" && (of.function === "_[_]" || of.function === "_[?_]")) {
      const [container, key] = of.args;
      const from = container && placeOf(container, locals, depth);
      if (from === undefined || key === undefined) return undefined;
      if (key.kind === "literal" && typeof key.value === "string") return fieldOf(from, key.value);
      walk(key, locals, depth);
      return elementsOf(from);
    }
    if (of.kind !== "select") return undefined;
    const record = recordOf(of, reads, locals);
    if (record !== undefined) return record;
    const { operand, field } = of;
    if (operand.kind === "identifier" && !locals.has(operand.name)) {
      if (operand.name === "V" || operand.name === "variables") {
        const tree = known.variables.get(field);
        return tree === undefined || depth >= deepest ? undefined : walk(tree, new Map(), depth + 1);
      }
      if (operand.name === "C" || operand.name === "constants") values.push(...scalarsOf(known.constants.get(field)));
      if (operand.name === "G" || operand.name === "globals") return fieldOf(reads.globals, field);
      return undefined;
    }
    const from = placeOf(operand, locals, depth);
    return from === undefined ? undefined : fieldOf(from, field);
  };
  walk(tree, new Map(), 0);
  for (const place of places) {
    for (const value of values) if (place.near.size < maxNear) place.near.add(value);
    place.isNearPrincipal ||= asksWho;
  }
}

const deepest = 4;

/** The attributes that an expression refers to: `R.attr`, `request.resource.attr`, `request.auxData.jwt`. */
function recordOf(of: Expression, reads: Reads, locals: ReadonlyMap<string, unknown>): Place | undefined {
  switch (pathOf(of, locals)) {
    case "P.attr":
    case "request.principal.attr":
      return reads.principal;
    case "R.attr":
    case "request.resource.attr":
      return reads.resource;
    case "request.auxData.jwt":
    case "request.aux_data.jwt":
      return reads.claims;
    default:
      return undefined;
  }
}

/** Whether an expression is the principal's id. */
const isWho = (of: Expression, locals: ReadonlyMap<string, unknown>): boolean =>
  ["P.id", "request.principal.id"].includes(pathOf(of, locals) ?? "");

/** The dotted path of an expression that consists only of names. */
function pathOf(of: Expression, locals: ReadonlyMap<string, unknown>): string | undefined {
  const names: string[] = [];
  let at: Expression = of;
  for (; at.kind === "select"; at = at.operand) names.unshift(at.field);
  return at.kind === "identifier" && !locals.has(at.name) ? [at.name, ...names].join(".") : undefined;
}

function fieldOf(place: Place, name: string): Place {
  const known = place.fields.get(name) ?? openPlace();
  place.fields.set(name, known);
  return known;
}

const elementsOf = (place: Place): Place => (place.elements ??= openPlace());

/** Typical arguments of functions, used even if the policy's text contains none. */
const usual: ReadonlyMap<string, readonly Scalar[]> = new Map<string, readonly Scalar[]>([
  ["timestamp", ["2024-05-01T10:00:00Z", "2031-01-01T00:00:00+02:00"]],
  ["timeSince", ["2024-05-01T10:00:00Z"]],
  ["duration", ["90m", "36h"]],
  ["inIPAddrRange", ["10.20.0.5", "192.168.1.9"]],
  ["hierarchy", ["a.b", "a.b.c"]],
  ["size", ["", "ab"]],
]);

/** Functions that search lists; the left side of `in` is an element itself. */
const ofLists: ReadonlySet<string> = new Set([
  "@in",
  "hasIntersection",
  "has_intersection",
  "intersect",
  "isSubset",
  "is_subset",
  "except",
]);

/** A constant as JSON scalars; for a number also its neighbours. */
function scalarsOf(value: unknown): readonly Scalar[] {
  if (value === null || typeof value === "boolean" || typeof value === "string") return [value];
  if (typeof value === "number") return Number.isFinite(value) ? [value, value + 1, value - 1] : [];
  const whole = value instanceof Uint ? value.value : value;
  if (typeof whole === "bigint") return scalarsOf(Number(BigInt.asIntN(54, whole)));
  return Array.isArray(value) ? value.slice(0, maxNear).flatMap(scalarsOf) : [];
}

function partsOf(of: Expression): readonly Expression[] {
  switch (of.kind) {
    case "literal":
    case "identifier":
    case "struct":
      return [];
    case "select":
      return [of.operand];
    case "call":
      return of.target === undefined ? of.args : [of.target, ...of.args];
    case "logic":
      return of.terms;
    case "list":
      return of.elements;
    case "map":
      return of.entries.flatMap(({ key, value }) => [key, value]);
    case "loop":
      return [of.range, of.body, ...(of.filter === undefined ? [] : [of.filter])];
    case "bind":
      return [of.init, of.body];
    case "optionalMap":
      return [of.target, of.body];
    default:
      return unreachable(of);
  }
}
