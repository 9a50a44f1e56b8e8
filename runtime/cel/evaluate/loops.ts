/** The looping macros over lists and maps, with one variable or two. */
import type { Expression, Loop } from "../ast.ts";
import { EvalError, evalError, unreachable } from "../error.ts";
import { isList, isMap } from "../kind.ts";
import { and, or, truth } from "../logic.ts";
import { canonicalKey, makeMap, mapEntries } from "../map.ts";
import { sortByKeys } from "../sort.ts";
import { CelMap, type MapKey, type Value } from "../value.ts";
import { workTurn } from "../work.ts";
import { exhausted, tooManySteps, withName, type Scope, type Visit } from "./scope.ts";

/** One turn of a loop: what the range holds there, and the scope in which its variables are named. */
interface Turn {
  /** Index or key. */
  readonly key: Value;
  /** Element or value; with one variable over a map, the key. */
  readonly item: Value;
  readonly inside: Scope;
}

/** Evaluates a loop; a range that failed, or that is neither list nor map, is its answer. */
export function evaluateLoop(tree: Loop, scope: Scope, visit: Visit): Value | EvalError {
  const range = visit(tree.range, scope);
  if (range instanceof EvalError) return range;
  if (!isList(range) && !isMap(range)) return evalError("no such overload", "the range is neither a list nor a map");
  const turns = turnsOf(tree.variables, range, scope);
  switch (tree.macro) {
    case "all":
      return and(outcomes(tree.body, turns, visit));
    case "exists":
      return or(outcomes(tree.body, turns, visit));
    case "existsOne":
      return existsOne(tree.body, turns, visit);
    case "filter":
      return collect(tree.body, turns, visit, ({ item }) => item);
    case "map":
    case "transformList":
      return collect(tree.filter, turns, visit, ({ inside }) => visit(tree.body, inside));
    case "transformMap":
      return transformMap(tree, turns, visit);
    case "transformMapEntry":
      return transformMapEntry(tree, turns, visit);
    case "sortBy":
      return isList(range) ? sortBy(range, tree.body, turns, visit) : evalError("no such overload");
    default:
      return unreachable(tree.macro);
  }
}

/** Every turn costs a step (D46); after the last step there is one turn that says so. */
function* turnsOf([first, second]: Loop["variables"], range: Value, scope: Scope): Iterable<Turn | EvalError> {
  for (const [key, value] of pairsOf(range)) {
    scope.steps.taken += 1;
    workTurn();
    if (exhausted(scope.steps)) {
      yield tooManySteps;
      return;
    }
    if (second === undefined) {
      const item = isList(range) ? value : key;
      yield { key, item, inside: withName(scope, first, () => item) };
    } else {
      yield {
        key,
        item: value,
        inside: withName(
          withName(scope, first, () => key),
          second,
          () => value,
        ),
      };
    }
  }
}

function* pairsOf(range: Value): Iterable<readonly [Value, Value]> {
  if (isList(range)) for (const [i, element] of range.entries()) yield [BigInt(i), element];
  else if (isMap(range)) yield* mapEntries(range);
}

/** What the body comes to in each turn: `all` joins these as `&&` does, `exists` as `||` does, errors included. */
function* outcomes(body: Expression, turns: Iterable<Turn | EvalError>, visit: Visit): Iterable<Value | EvalError> {
  for (const turn of turns) yield turn instanceof EvalError ? turn : visit(body, turn.inside);
}

/** `exists_one`: a turn that failed is not absorbed. */
function existsOne(body: Expression, turns: Iterable<Turn | EvalError>, visit: Visit): boolean | EvalError {
  const found = collect(body, turns, visit, ({ key }) => key);
  return found instanceof EvalError ? found : found.length === 1;
}

/** Takes `make` of the turns where the filter holds; the first failure is the answer. */
function collect(
  filter: Expression | undefined,
  turns: Iterable<Turn | EvalError>,
  visit: Visit,
  make: (turn: Turn) => Value | EvalError,
): readonly Value[] | EvalError {
  const made: Value[] = [];
  for (const turn of turns) {
    if (turn instanceof EvalError) return turn;
    const holds = filter === undefined ? true : truth(visit(filter, turn.inside));
    if (holds instanceof EvalError) return holds;
    if (!holds) continue;
    const value = make(turn);
    if (value instanceof EvalError) return value;
    made.push(value);
  }
  return made;
}

/** `transformMap`: the same keys, other values. */
function transformMap(tree: Loop, turns: Iterable<Turn | EvalError>, visit: Visit): Value | EvalError {
  const keys: Value[] = [];
  const values = collect(tree.filter, turns, visit, ({ key, inside }) => {
    keys.push(key);
    return visit(tree.body, inside);
  });
  return values instanceof EvalError ? values : makeMap(values.map((value, i) => [keys[i] ?? null, value] as const));
}

/** `transformMapEntry`: the entries of the bodies' maps; a key that is there already is an error. */
function transformMapEntry(tree: Loop, turns: Iterable<Turn | EvalError>, visit: Visit): Value | EvalError {
  const made = new Map<MapKey, readonly [Value, Value]>();
  const outcome = collect(tree.filter, turns, visit, ({ inside }) => {
    const body = visit(tree.body, inside);
    if (body instanceof EvalError) return body;
    if (!isMap(body)) return evalError("no such overload");
    for (const entry of mapEntries(body)) {
      const key = canonicalKey(entry[0]);
      if (key === undefined || made.has(key)) return evalError("invalid argument", "insert failed: the key already exists");
      made.set(key, entry);
    }
    return null;
  });
  return outcome instanceof EvalError ? outcome : new CelMap(made);
}

/** `sortBy`: elements in the order of their keys. */
function sortBy(list: readonly Value[], body: Expression, turns: Iterable<Turn | EvalError>, visit: Visit): Value | EvalError {
  const keys = collect(undefined, turns, visit, ({ inside }) => visit(body, inside));
  return keys instanceof EvalError ? keys : sortByKeys(list, keys);
}
