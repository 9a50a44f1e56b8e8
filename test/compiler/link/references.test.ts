/** Which variables and constants an expression uses, wherever in it they stand. */
import { expect, test } from "vitest";
import { referencesOf } from "../../../compiler/link/references.ts";
import { treeOf } from "../emit/harness.ts";

/** `V.a C.b`: variables first, each once. */
const namedBy = (expression: string): string => {
  const { variables, constants } = referencesOf(treeOf(expression));
  return [...[...variables.keys()].map((name) => `V.${name}`), ...[...constants.keys()].map((name) => `C.${name}`)].join(" ");
};

// oxfmt-ignore
test.each([
  ["by either name",                  "V.a == variables.b || C.c == constants.d",            "V.a V.b C.c C.d"],
  ["once, however often it is said",  "V.a == 1 || V.a == 2",                                "V.a"],
  ["none, where nothing is named",    "R.attr.V.a == P.attr.C.b",                            ""],
  ["before a dot",                    "V.a.b.c == 1",                                        "V.a"],
  ["before a bracket, and within",    "V.a[C.b] == 1",                                       "V.a C.b"],
  ["in what is asked for",            "has(V.a.b)",                                          "V.a"],
  ["in what may be missing",          "V.a.?b.hasValue()",                                   "V.a"],
  ["as an argument",                  "size(V.a) == 1",                                      "V.a"],
  ["as what is called upon",          'V.a.startsWith(C.b)',                                 "V.a C.b"],
  ["under a denial",                  "!V.a",                                                "V.a"],
  ["in a choice",                     "V.a ? V.b : V.c",                                     "V.a V.b V.c"],
  ["in the branch that is taken",     "true ? V.b : V.c",                                    "V.b"],
  ["in the other one",                "false ? V.b : V.c",                                   "V.c"],
  ["in terms that can matter",        "V.a || false",                                        "V.a"],
  ["none in terms that cannot",       "V.a || true",                                         ""],
  ["none beside a false",             "V.a && false",                                        ""],
  ["in terms beside a true",          "V.a && true",                                         "V.a"],
  ["in a list",                       "[V.a, C.b] == [1]",                                   "V.a C.b"],
  ["in a map, as key and as value",   "{V.a: C.b} == {1: 2}",                                "V.a C.b"],
  ["in a range",                      "V.a.exists(x, x == 1)",                               "V.a"],
  ["in the body of a loop",           "R.attr.l.all(x, x == V.a)",                           "V.a"],
  ["in the filter of a loop",         "R.attr.l.map(x, x == V.a, x + C.b) == []",            "V.a C.b"],
  ["in a loop within another",        "R.attr.l.exists(x, x.exists(y, y == V.a))",           "V.a"],
  ["in what is bound",                "cel.bind(x, V.a, x == 1)",                            "V.a"],
  ["where it is bound",               "cel.bind(x, 1, x == V.a)",                            "V.a"],
  ["in what is there, or not",        "V.a.?b.optMap(x, x == C.c).hasValue()",               "V.a C.c"],
  ["but not of a loop called V",      "R.attr.l.exists(V, V.a == 1)",                        ""],
  ["but of its range",                "V.b.exists(V, V.a == 1)",                             "V.b"],
  ["but not in its filter",           "R.attr.l.map(V, V.a == 1, V.b) == []",                ""],
  ["but behind it",                   "R.attr.l.exists(V, V.a == 1) || V.c",                 "V.c"],
  ["but not of what is bound as C",   "cel.bind(C, {'a': 1}, C.a == 1)",                     ""],
  ["but of what it is bound to",      "cel.bind(C, C.b, C.a == 1)",                          "C.b"],
  ["but with a dot before",           "R.attr.l.exists(V, .V.a == 1)",                       "V.a"],
])("%s", (_where, expression, named) => {
  expect(namedBy(expression)).toBe(named);
});
