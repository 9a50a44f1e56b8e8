/** Generated code and the interpreter agree on random expressions over random attributes. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { parse } from "../../../compiler/cel/parse.ts";
import { compileTree, disagreement } from "./harness.ts";
import { inputs } from "./inputs.ts";

const attribute = fc.constantFrom("n", "m", "s", "t", "b", "c", "z", "l", "o", "i", "missing", "__proto__", "constructor", "length");
const literal = fc.constantFrom(
  "1",
  "0",
  "-1",
  "5",
  "2.5",
  "1.0",
  "0.0",
  "-0.0",
  "3u",
  '"a"',
  '"abc"',
  '"b"',
  '""',
  '"k"',
  "true",
  "false",
  "null",
  'b"a"',
  "[]",
  "{}",
  "9007199254740993",
  "9223372036854775807",
  "9007199254740992.0",
  'double("NaN")',
  'double("Infinity")',
  'duration("1h")',
  'timestamp("2024-05-01T10:00:00Z")',
);
const root = fc.constantFrom("R.attr", "P.attr", "request.auxData.jwt", "R.attr.o", "x", "y");

/** Texts weighted towards booleans, so that both outcomes and errors meet everywhere. */
const { text } = fc.letrec<{ text: string; truth: string; list: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 5, depthIdentifier: "text" },
    literal,
    fc.tuple(root, attribute).map(([of, name]) => `${of}.${name}`),
    fc.constantFrom("P.id", "R.id", "R.kind", "P.roles", "R.scope", "x", "y", "P.roles[0]", "int", "runtime.effectiveDerivedRoles"),
    tie("truth"),
    tie("truth"),
    tie("list"),
    fc
      .tuple(tie("text"), fc.constantFrom("+", "-", "*", "/", "%"), tie("text"))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc.tuple(tie("text"), attribute).map(([of, name]) => `(${of}).${name}`),
    fc.tuple(tie("text"), tie("text")).map(([of, key]) => `(${of})[${key}]`),
    fc.tuple(tie("truth"), tie("text"), tie("text")).map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
    fc
      .tuple(fc.constantFrom("size", "string", "int", "double", "dyn", "type", "-", "bool"), tie("text"))
      .map(([of, value]) => `${of}(${value})`),
    fc.tuple(tie("text"), tie("text")).map(([key, value]) => `{${key}: ${value}}`),
    fc.tuple(fc.constantFrom("x", "y"), tie("text"), tie("text")).map(([name, init, body]) => `cel.bind(${name}, ${init}, ${body})`),
  ),
  truth: fc.oneof(
    { maxDepth: 5, depthIdentifier: "text" },
    fc.constantFrom("true", "false", "R.attr.b", "R.attr.c", "R.attr.missing"),
    fc
      .tuple(tie("text"), fc.constantFrom("==", "!=", "<", "<=", ">", ">=", "in"), tie("text"))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc
      .tuple(tie("text"), fc.constantFrom("==", "!=", "<", ">="), literal)
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc
      .tuple(tie("text"), fc.array(literal, { minLength: 1, maxLength: 3 }))
      .map(([left, members]) => `(${left} in [${members.join(", ")}])`),
    fc.tuple(tie("truth"), fc.constantFrom("&&", "||"), tie("truth")).map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc.tuple(tie("truth"), fc.constantFrom("&&", "||"), tie("text")).map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    tie("truth").map((of) => `!${of}`),
    tie("text").map((of) => `!(${of})`),
    fc.tuple(tie("truth"), tie("truth"), tie("truth")).map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
    fc
      .tuple(
        fc.oneof(
          root,
          tie("text").map((of) => `(${of})`),
        ),
        attribute,
      )
      .map(([of, name]) => `has(${of}.${name})`),
    fc
      .tuple(tie("list"), fc.constantFrom("exists", "all", "exists_one"), fc.constantFrom("x", "y"), tie("truth"))
      .map(([of, macro, name, body]) => `(${of}).${macro}(${name}, ${body})`),
    fc
      .tuple(tie("list"), fc.constantFrom("exists", "all", "existsOne"), tie("truth"))
      .map(([of, macro, body]) => `(${of}).${macro}(x, y, ${body})`),
    fc
      .tuple(tie("text"), fc.constantFrom("startsWith", "endsWith", "contains"), tie("text"))
      .map(([of, call, part]) => `(${of}).${call}(${part})`),
  ),
  list: fc.oneof(
    { maxDepth: 5, depthIdentifier: "text" },
    fc.constantFrom("R.attr.l", "P.roles", "R.attr.o", "P.attr.l", '[1, 2.5, "a"]', '{"k": 1}'),
    fc.array(tie("text"), { maxLength: 3 }).map((elements) => `[${elements.join(", ")}]`),
    fc
      .tuple(tie("list"), fc.constantFrom("filter", "map"), fc.constantFrom("x", "y"), tie("text"))
      .map(([of, macro, name, body]) => `(${of}).${macro}(${name}, ${body})`),
    fc.tuple(tie("list"), tie("truth"), tie("text")).map(([of, test, body]) => `(${of}).map(x, ${test}, ${body})`),
  ),
}));

const same = (left: unknown, right: unknown): boolean => {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  try {
    expect(left).toEqual(right);
    return true;
  } catch {
    return false;
  }
};

it("generated code and the interpreter agree on random expressions", () => {
  let errors = 0;
  let truths = 0;
  let falsehoods = 0;
  fc.assert(
    fc.property(text, (expression) => {
      const { tree } = parse(expression);
      if (tree === undefined) return;
      const compiled = compileTree(tree, {}, false);
      for (const input of inputs) {
        const found = disagreement(compiled, input, same);
        if (found !== undefined) {
          throw new Error(
            `${expression}\nR.attr ${JSON.stringify(input.resource.attr)}\nP.attr ${JSON.stringify(input.principal.attr)}\n${found}\n${compiled.readable}`,
          );
        }
        const value = compiled.interpreted(input);
        if (value === undefined) errors++;
        if (value === true) truths++;
        if (value === false) falsehoods++;
      }
    }),
    { numRuns: Number(process.env["AUTHZ_FUZZ_RUNS"] ?? 1500) },
  );
  // A grammar that stopped making one of these would prove nothing.
  for (const count of [errors, truths, falsehoods]) expect(count).toBeGreaterThan(100);
});
