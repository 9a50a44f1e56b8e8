/** The syntax tree of a CEL expression: what the parser makes, the checker resolves, the interpreter walks and the emitter prints. */
import type { Uint } from "./value.ts";

/** Half-open range of UTF-16 offsets in the expression's own text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What every node carries: an id, unique within one expression, and the text it came from. */
interface Node extends Range {
  readonly id: number;
}

/** `null`, `true`, `1`, `1u`, `1.5`, `"a"`, `b"a"`. int is bigint, double is number. */
export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: null | boolean | bigint | Uint | number | string | Uint8Array;
}

/** `a` or `.a` (absolute). After checking, a qualified name that was declared as one (`a.b`) is one identifier. */
export interface Identifier extends Node {
  readonly kind: "identifier";
  readonly name: string;
  readonly absolute?: true;
}

/** `operand.field`; `test` marks `has(operand.field)`; `optional` marks `operand.?field`. */
export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expression;
  readonly field: string;
  readonly test?: true;
  readonly optional?: true;
}

/**
 * `f(args)` or `target.f(args)`. Operators are calls by their CEL names: `_+_ _-_ _*_ _/_ _%_ _==_ _!=_ _<_ _<=_ _>_ _>=_
 * @in !_ -_ _?_:_ _[_] _[?_]`. `&&` and `||` are `Logic` nodes instead. After checking, a namespaced function
 * (`math.greatest(...)`) has no target and its whole name in `function`. `overload` is set where the checker guessed types:
 * the call means this overload alone, whatever the arguments' kinds are.
 */
export interface Call extends Node {
  readonly kind: "call";
  readonly function: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
  readonly overload?: string;
}

/** `a && b && c` or `a || b || c`, kept n-ary (two or more terms), in source order. */
export interface Logic extends Node {
  readonly kind: "logic";
  readonly operator: "&&" | "||";
  readonly terms: readonly Expression[];
}

/** `[a, ?b]`: `optionals` holds the indexes of the elements marked `?`. */
export interface List extends Node {
  readonly kind: "list";
  readonly elements: readonly Expression[];
  readonly optionals: readonly number[];
}

/** `{k: v, ?k: v}`. */
export interface MapLiteral extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

/** One `k: v` of a map literal. */
export interface MapEntry extends Node {
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

/** `pkg.Message{field: v}`. Parsed whole; no environment of ours declares a message, so checking refuses it. */
export interface Struct extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly { readonly id: number; readonly name: string; readonly value: Expression; readonly optional: boolean }[];
}

/** The macros that loop. `existsOne` is written `exists_one` too, and with two variables; this is their one name here. */
export type LoopMacro =
  | "all"
  | "exists"
  | "existsOne"
  | "map"
  | "filter"
  | "transformList"
  | "transformMap"
  | "transformMapEntry"
  | "sortBy";

/**
 * A looping macro over a list (index, value) or a map (key, value): `range.macro(v, ...)` or `range.macro(i, v, ...)`.
 * `filter` is the optional middle argument (`map(x, p, e)`, `transformList(i, v, p, e)`); `body` the last one.
 * `macroName` keeps the spelling the author used.
 */
export interface Loop extends Node {
  readonly kind: "loop";
  readonly macro: LoopMacro;
  readonly macroName: string;
  readonly range: Expression;
  readonly variables: readonly [string] | readonly [string, string];
  readonly filter?: Expression;
  readonly body: Expression;
}

/** `cel.bind(name, init, body)`: `init` is evaluated at most once, when `body` first reads it. */
export interface Bind extends Node {
  readonly kind: "bind";
  readonly name: string;
  readonly init: Expression;
  readonly body: Expression;
}

/** `target.optMap(v, body)` and `target.optFlatMap(v, body)`. */
export interface OptionalMap extends Node {
  readonly kind: "optionalMap";
  readonly flat: boolean;
  readonly target: Expression;
  readonly variable: string;
  readonly body: Expression;
}

/** Any node. */
export type Expression = Literal | Identifier | Select | Call | Logic | List | MapLiteral | Struct | Loop | Bind | OptionalMap;
