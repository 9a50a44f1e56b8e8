/**
 * The syntax tree of a CEL expression. The parser builds it, the checker resolves names in it, the interpreter
 * evaluates it, the emitter prints it as JavaScript.
 */
import type { Uint } from "./value.ts";

/** A half-open range of UTF-16 offsets in the expression's text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The properties of every node: an id, unique within one expression, and its range in the text. */
interface Node extends Range {
  readonly id: number;
}

/** `null`, `true`, `1`, `1u`, `1.5`, `"a"`, `b"a"`. An int is a bigint, a double a number. */
export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: null | boolean | bigint | Uint | number | string | Uint8Array;
}

/** `a` or `.a` (absolute). After checking, a declared qualified name (`a.b`) is a single identifier. */
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
 * `f(args)` or `target.f(args)`. Operators are calls by their CEL names: `_+_ _-_ _*_ _/_ _%_ _==_ _!=_ _<_ _<=_ _>_
 * _>=_
 * @in !_ -_ _?_:_ _[_] _[?_]`. `&&` and `||` are `Logic` nodes instead. After checking, a namespaced function
 * (`math.greatest(...)`) has no target and its full name in `function`. `overload` is set if the checker guessed
 * argument types: then only this overload may run, whatever the arguments' types are at run time.
 */
export interface Call extends Node {
  readonly kind: "call";
  readonly function: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
  readonly overload?: string;
}

/** `a && b && c` or `a || b || c`: one node with two or more terms, in source order. */
export interface Logic extends Node {
  readonly kind: "logic";
  readonly operator: "&&" | "||";
  readonly terms: readonly Expression[];
}

/** `[a, ?b]`. `optionals` holds the indexes of the elements marked `?`. */
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

/**
 * `pkg.Message{field: v}`. The parser accepts it; the checker refuses it, because our environments declare no message
 * types.
 */
export interface Struct extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly { readonly id: number; readonly name: string; readonly value: Expression; readonly optional: boolean }[];
}

/** The looping macros. `existsOne` also stands for the spelling `exists_one`, with one or two variables. */
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
 * A looping macro over a list (index, value) or a map (key, value): `range.macro(v, ...)` or `range.macro(i, v,
 * ...)`. `filter` is the optional middle argument (`map(x, p, e)`, `transformList(i, v, p, e)`), `body` the last one.
 * `macroName` is the author's spelling.
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

/** `cel.bind(name, init, body)`. `init` is evaluated lazily: at most once, when `body` first reads the name. */
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

export type Expression = Literal | Identifier | Select | Call | Logic | List | MapLiteral | Struct | Loop | Bind | OptionalMap;
