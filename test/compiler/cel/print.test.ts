/** Printing: canonical text, and the law that parsing it gives the same tree. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "../../../compiler/cel/parse.ts";
import { printAst } from "../../../compiler/cel/print-ast.ts";
import { printExpression } from "../../../compiler/cel/print.ts";
import { expression, shapeOf } from "./expressions.ts";

const canonical = (text: string): string => {
  const { tree, issues } = parse(text);
  return tree === undefined ? issues.map((issue) => issue.message).join("; ") : printExpression(tree);
};

test.each([
  // written                                canonical
  ["a&&b||c", "a && b || c"],
  ["(a&&b)&&(c&&d)", "(a && b) && (c && d)"],
  ["a||(b||c)", "a || (b || c)"],
  ["(a||b)&&c", "(a || b) && c"],
  ["1+2*3-(4-5)", "1 + 2 * 3 - (4 - 5)"],
  ["(1+2)*3", "(1 + 2) * 3"],
  ["a<b==(c<d)", "a < b == (c < d)"],
  ["x in [1,2,]", "x in [1, 2]"],
  ["a?b:c?d:e", "a ? b : c ? d : e"],
  ["(a?b:c)?d:e", "(a ? b : c) ? d : e"],
  ["!(!a)", "!(!a)"],
  ["!!a", "a"],
  ["---a", "-a"],
  ["-(1)", "-(1)"],
  ["4--4", "4 - -4"],
  ["-1.a", "(-1).a"],
  ["- 2.0", "-2.0"],
  ["1e3", "1000.0"],
  ["0xFFu", "255u"],
  ["-0x10", "-16"],
  ["'it\\'s'", '"it\'s"'],
  ["r'\\d'", '"\\\\d"'],
  ["b'\\xff\\377é'", 'b"\\xff\\xff\\xc3\\xa9"'],
  ["{'a':1,?'b':c}", '{"a": 1, ?"b": c}'],
  ["a.`b-c`.`in`.d", "a.`b-c`.`in`.d"],
  ["a.?b[?c][0]", "a.?b[?c][0]"],
  ["has(a.b.c)", "has(a.b.c)"],
  [".a.b", ".a.b"],
  ["pkg.M{a:1,?b:c}", "pkg.M{a: 1, ?b: c}"],
  ["l.exists_one(x,x>1)", "l.exists_one(x, x > 1)"],
  ["l.existsOne(i,x,x>1)", "l.existsOne(i, x, x > 1)"],
  ["l.map(x,x>1,x)", "l.map(x, x > 1, x)"],
  ["cel.bind(x,1,x+x)", "cel.bind(x, 1, x + x)"],
  ["a.optMap(x,x).optFlatMap(y,y)", "a.optMap(x, x).optFlatMap(y, y)"],
  ["math.greatest(1,2,3)", "math.greatest([1, 2, 3])"],
  ["a // why\n + b", "a + b"],
])("%j prints as %j", (written, printed) => {
  expect(canonical(written)).toBe(printed);
  expect(canonical(printed)).toBe(printed);
});

test("parsing what was printed gives the same tree", () => {
  fc.assert(
    fc.property(expression, (tree) => {
      const text = printExpression(tree);
      const { tree: again, issues } = parse(text);
      expect({ text, issues, tree: shapeOf(again) }).toEqual({ text, issues: [], tree: shapeOf(tree) });
    }),
    { numRuns: 2000 },
  );
});

test.each([
  [
    "m.transformMap(k, v, v > 1, v)",
    "__comprehension__(\n  // Variable\n  k,\n  // Variable2\n  v,\n  // Target\n  m^#*expr.Expr_IdentExpr#,",
  ],
  ["cel.bind(x, 1, x)", "__comprehension__(\n  // Variable\n  #unused,\n  // Target\n  []^#*expr.Expr_ListExpr#,\n  // Accumulator\n  x,"],
  ["math.greatest(1, 2)", "math.@max(\n  1^#*expr.Constant_Int64Value#,\n  2^#*expr.Constant_Int64Value#\n)^#*expr.Expr_CallExpr#"],
  ["a.?b", '_?._(\n  a^#*expr.Expr_IdentExpr#,\n  "b"^#*expr.Constant_StringValue#\n)^#*expr.Expr_CallExpr#'],
  ["[?a]", "[\n  ?a^#*expr.Expr_IdentExpr#\n]^#*expr.Expr_ListExpr#"],
  ["1e21", "1e+21^#*expr.Constant_DoubleValue#"],
  ["0.00001", "1e-05^#*expr.Constant_DoubleValue#"],
  ["123456.5", "123456.5^#*expr.Constant_DoubleValue#"],
  ["1234567.0", "1.234567e+06^#*expr.Constant_DoubleValue#"],
  ["-0.0", "-0^#*expr.Constant_DoubleValue#"],
  ["b'\\xff\\u0041'", undefined],
  ["b'\\xffA\\xe2\\x82'", 'b"\\xffA\\xe2\\x82"^#*expr.Constant_BytesValue#'],
])("the tree of %j prints as cel-go prints it", (text, printed) => {
  const { tree } = parse(text);
  if (printed === undefined) expect(tree).toBeUndefined();
  else expect(tree && printAst(tree)).toContain(printed);
});
