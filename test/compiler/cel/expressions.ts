/** Random expressions and random texts: the material of the front end's laws. */
import fc from "fast-check";
import type { Expression, LoopMacro, MapEntry } from "../../../runtime/cel/ast.ts";
import { Uint } from "../../../runtime/cel/value.ts";

const place = { id: 0, start: 0, end: 0 } as const;

const name = fc.constantFrom("a", "b", "item", "R", "P", "_x", "type", "math", "has", "e5");
const field = fc.oneof(
  fc.constantFrom("a", "attr", "as", "if", "map", "size", "__proto__"),
  fc.constantFrom("in", "true", "b-c", "x.y", "/api", "two words"),
);
const text = fc.string({ unit: "grapheme", maxLength: 6 }).filter((value) => !/\p{Surrogate}/u.test(value));

const literal: fc.Arbitrary<Expression> = fc
  .oneof(
    fc.constantFrom(null, true, false),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => new Uint(value)),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.constantFrom("\n", '"', "\\", "\u0000", "\u0085", "é", "\u{1F600}", "'''", "\u2028"),
    fc.uint8Array({ maxLength: 4 }),
  )
  .map((value) => ({ kind: "literal", value, ...place }));

const oneVariable: readonly LoopMacro[] = ["all", "exists", "existsOne", "map", "filter", "sortBy"];
const twoVariables: readonly LoopMacro[] = ["all", "exists", "existsOne", "transformList", "transformMap", "transformMapEntry"];
const filtered: ReadonlySet<LoopMacro> = new Set(["map", "transformList", "transformMap", "transformMapEntry"]);

/** Any tree that the parser can make. */
export const expression: fc.Arbitrary<Expression> = fc.letrec<{ expression: Expression }>((tie) => {
  const inner = tie("expression");
  const inners = fc.array(inner, { maxLength: 3 });
  const call = (functions: readonly string[], count: number): fc.Arbitrary<Expression> =>
    fc
      .tuple(fc.constantFrom(...functions), fc.array(inner, { minLength: count, maxLength: count }))
      .map(([called, args]) => ({ kind: "call", function: called, args, ...place }));
  const optionals = (elements: readonly unknown[], marks: readonly boolean[]): readonly number[] =>
    elements.flatMap((_, i) => (marks[i] === true ? [i] : []));
  const loop = (macros: readonly LoopMacro[], variables: readonly [string] | readonly [string, string]): fc.Arbitrary<Expression> =>
    fc
      .tuple(fc.constantFrom(...macros), inner, inner, fc.option(inner, { nil: undefined }))
      .map(
        ([macro, range, body, filter]) =>
          ({
            kind: "loop",
            macro,
            macroName: macro,
            range,
            variables,
            ...(filter !== undefined && filtered.has(macro) && { filter }),
            body,
            ...place,
          }) as const,
      )
      .filter((tree) => tree.macro !== "sortBy" || !["literal", "map", "struct"].includes(tree.range.kind));
  return {
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      literal,
      fc
        .tuple(name, fc.boolean())
        .map(([named, absolute]): Expression => ({ kind: "identifier", name: named, ...(absolute && { absolute }), ...place })),
      fc.tuple(inner, field, fc.constantFrom("plain", "test", "optional")).map(([operand, selected, how]): Expression => ({
        kind: "select",
        operand,
        field: selected,
        ...(how === "test" && { test: true }),
        ...(how === "optional" && { optional: true }),
        ...place,
      })),
      call(["_+_", "_-_", "_*_", "_/_", "_%_", "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in", "_[_]", "_[?_]"], 2),
      call(["!_", "-_"], 1),
      call(["_?_:_"], 3),
      fc
        .tuple(fc.constantFrom("size", "f", ".f", "type"), inners)
        .map(([called, args]): Expression => ({ kind: "call", function: called, args, ...place })),
      fc
        .tuple(fc.constantFrom("startsWith", "f", "as"), inner, inners)
        .map(([called, target, args]): Expression => ({ kind: "call", function: called, target, args, ...place })),
      fc
        .tuple(fc.constantFrom("&&" as const, "||" as const), fc.array(inner, { minLength: 2, maxLength: 4 }))
        .map(([operator, terms]): Expression => ({ kind: "logic", operator, terms, ...place })),
      fc
        .tuple(inners, fc.array(fc.boolean()))
        .map(([elements, marks]): Expression => ({ kind: "list", elements, optionals: optionals(elements, marks), ...place })),
      fc
        .array(
          fc.tuple(inner, inner, fc.boolean()).map(([key, value, optional]): MapEntry => ({ key, value, optional, ...place })),
          { maxLength: 3 },
        )
        .map((entries): Expression => ({ kind: "map", entries, ...place })),
      fc
        .tuple(fc.constantFrom("M", ".a.M"), fc.array(fc.tuple(field, inner, fc.boolean()), { maxLength: 2 }))
        .map(([named, fields]): Expression => ({
          kind: "struct",
          name: named,
          fields: fields.map(([of, value, optional]) => ({ id: 0, name: of, value, optional })),
          ...place,
        })),
      loop(oneVariable, ["x"]),
      loop(twoVariables, ["i", "x"]),
      fc.tuple(inner, inner).map(([init, body]): Expression => ({ kind: "bind", name: "x", init, body, ...place })),
      fc
        .tuple(fc.boolean(), inner, inner)
        .map(([flat, target, body]): Expression => ({ kind: "optionalMap", flat, target, variable: "x", body, ...place })),
    ),
  };
}).expression;

const pieces = [
  "a",
  "R.attr.x",
  "1",
  "0x",
  "1e",
  "2u",
  ".5",
  "'x'",
  '"',
  "'''",
  "b'\\x'",
  "r'\\'",
  "\\",
  "`a-b`",
  "`",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  ".",
  ",",
  ":",
  "?",
  "&&",
  "||",
  "&",
  "=",
  "==",
  "!",
  "-",
  "+",
  "in",
  "and",
  "not",
  "as",
  "has(",
  ".all(",
  "x,",
  "cel.bind(",
  "//",
  "\n",
  " ",
  "#",
  "é",
  "\u{1F600}",
  "\ud800",
  "true",
  "null",
  "math.greatest(",
  ".?",
  "[?",
];

/** Texts that look like CEL and mostly are not. */
export const scrawl: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join("")),
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(" ")),
  fc.string({ unit: "binary", maxLength: 30 }),
);

/** Returns a tree without ids and places, in a form that can be compared. */
export function shapeOf(tree: unknown): unknown {
  if (typeof tree === "bigint") return `${tree}n`;
  if (tree instanceof Uint) return `${tree.value}u`;
  if (tree instanceof Uint8Array) return `bytes ${[...tree].join(" ")}`;
  if (Object.is(tree, -0)) return "-0";
  if (Array.isArray(tree)) return tree.map(shapeOf);
  if (typeof tree !== "object" || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree)
      .filter(([key]) => key !== "id" && key !== "start" && key !== "end")
      .map(([key, value]) => [key, shapeOf(value)]),
  );
}
