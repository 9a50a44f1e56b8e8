/** The faults that the agreement test must notice: each one a mistake that somebody could make. */
import { faultsOfAlikePolicies } from "./faults-of-alike-policies.ts";
import { faultsOfRoutes } from "./faults-of-routes.ts";
import { faultsOfCallers } from "./faults-of-callers.ts";
import { faultsOfDecisions } from "./faults-of-decisions.ts";
import { faultsOfNeeds } from "./faults-of-needs.ts";
import { faultsOfTheShortWay } from "./faults-of-the-short-way.ts";
import type { Fault } from "./plant.ts";

export const faults: readonly Fault[] = [
  ...faultsOfAlikePolicies,
  ...faultsOfRoutes,
  ...faultsOfCallers,
  ...faultsOfDecisions,
  ...faultsOfNeeds,
  ...faultsOfTheShortWay,
  {
    says: "`&&` loses a term",
    file: "compiler/emit/logic.ts",
    find: "expression.terms.map((term) => emit.is(outcome, term, scope))",
    put: "expression.terms.slice(1).map((term) => emit.is(outcome, term, scope))",
  },
  {
    says: "an error under `!` counts as true",
    file: "compiler/emit/expression.ts",
    find: 'if (expression.function === "!_") return expressions.is(!outcome, only(expression), scope);',
    put: 'if (expression.function === "!_") return js`!(${expressions.is(outcome, only(expression), scope)})`;',
  },
  {
    says: "`||` is false as soon as one term is",
    file: "compiler/emit/logic.ts",
    find: 'const every = (expression.operator === "&&") === outcome;',
    put: 'const every = expression.operator === "&&" && outcome;',
  },
  {
    says: "a condition of `?:` that is no boolean takes the second branch",
    file: "compiler/emit/logic.ts",
    find: ": ${again} === false ? ${no} : ${neither})`",
    put: ": ${no})`",
  },
  {
    says: "`*` crosses the colon",
    file: "runtime/decide/glob-machine.ts",
    find: '} else steps.push({ kind: "run", accepts: notSeparator });',
    put: '} else steps.push({ kind: "run", accepts: anything });',
  },
  {
    says: "two missing attributes are equal, compared in place",
    file: "compiler/emit/comparison.ts",
    find: 'return terms("&&", [js`${first} !== undefined`, js`${again} === ${right.code}`]);',
    put: "return js`${first} === ${right.code}`;",
  },
  {
    says: "two missing attributes are equal, compared by a call",
    file: "runtime/emitted/comparison.ts",
    find: "left === undefined || right === undefined ? undefined : equalValues(left, right)",
    put: "left === undefined || right === undefined ? left === right : equalValues(left, right)",
  },
  {
    says: "`none` asks for the opposite instead of for what does not hold",
    file: "compiler/emit/condition.ts",
    find: 'return js`!${atom(joined("||", partsOf(condition, scope)))}`;',
    put: 'return joined("&&", condition.of.map((part) => part.kind === "expression" ? atom(expressions.is(false, part.expression.tree, scope)) : js`!(${conditionHolds(part, scope)})`));',
  },
  {
    says: "two conditions share one remembered answer",
    file: "compiler/emit/unit-writer.ts",
    find: "digits(questions.push(question) - 1 - first)",
    put: 'digits((questions.push(question) - 1 - first) >> (question.kind === "rule" ? 1 : 0))',
  },
  {
    says: "all policies of a unit begin to count at the same question",
    file: "compiler/emit/unit-writer.ts",
    find: "beginPolicy: () => (first = questions.length),",
    put: "beginPolicy: () => ((first = questions.length), 0),",
  },
  {
    says: "`exists` and `all` are swapped",
    file: "compiler/emit/loop.ts",
    find: 'const some = (expression.macro === "exists") === outcome;',
    put: 'const some = (expression.macro === "all") === outcome;',
  },
  {
    says: "`exists_one` takes an error for no",
    file: "runtime/emitted/loop.ts",
    find: 'if (typeof answer !== "boolean") return undefined;',
    put: "",
  },
  {
    says: "`<` holds for what is equal",
    file: "compiler/emit/comparison.ts",
    find: '["_<_", { sign: js`<`,',
    put: '["_<_", { sign: js`<=`,',
  },
  {
    says: "a literal int beside an attribute stays an int",
    file: "compiler/emit/comparison.ts",
    find: "return number === undefined ? emitted : { code: js`${number}`,",
    put: "return number === undefined ? emitted : { code: emitted.code,",
  },
  {
    says: "int and double are compared exactly",
    file: "runtime/cel/compare.ts",
    find: 'if (typeof left === "number" || typeof right === "number") return order(toDouble(left), toDouble(right));',
    put: 'if (typeof left === "number" && typeof right === "number") return order(left, right); if (typeof left === "number" || typeof right === "number") { const [a, b] = [left, right].map((x) => (typeof x === "number" ? x : toInteger(x))) as any; return order(a, b); }',
  },
  {
    says: "a variable that fails is false",
    file: "runtime/decide/query.ts",
    find: "remembered[index] = value;",
    put: "remembered[index] = value ?? false; if (value === undefined) return false;",
  },
  {
    says: "a derived role's variable that fails is unset while the roles are listed",
    file: "compiler/emit/derived-roles.ts",
    find: 'const nulled = emitNames(role, trees, "null", unit, where);',
    put: 'const nulled = emitNames(role, trees, "unset", unit, where);',
  },
  {
    says: "an attribute is read through the prototype",
    file: "runtime/emitted/access.ts",
    find: "Object.hasOwn(object, name) && !Array.isArray(object)",
    put: "!Array.isArray(object)",
  },
  {
    says: "`has` takes null for nothing",
    file: "runtime/emitted/access.ts",
    find: "export const owns = (object: object, name: string): boolean => Object.hasOwn(object, name);",
    put: "export const owns = (object: object, name: string): boolean => Object.hasOwn(object, name) && (object as any)[name] !== null;",
  },
  {
    says: "ints wrap around instead of failing",
    file: "runtime/cel/arithmetic.ts",
    find: 'BigInt.asIntN(64, value) === value ? value : evalError("integer overflow")',
    put: "BigInt.asIntN(64, value)",
  },
  {
    says: "text is ordered by UTF-16 units",
    file: "runtime/cel/text.ts",
    find: "return rank(a) < rank(b) ? -1 : 1;",
    put: "return a < b ? -1 : 1;",
  },
  {
    says: "the errors of variables are not reported",
    file: "runtime/decide/evaluation-errors.ts",
    find: "this.found.addAll(this.callers.ofVariables(some.names.variables) ?? this.errorsOfVariables(some));",
    put: "",
  },
  {
    says: "a condition that lacks an attribute of the resource counts as one that cannot fail",
    file: "runtime/decide/needs.ts",
    find: " || lacks(resource.attr, needs.resource);",
    put: ";",
  },
  {
    says: "a term that may be neither true nor false counts as one that cannot fail",
    file: "runtime/decide/sure-kinds.ts",
    find: "tree.terms.every((term) => isSure(term, truth, inside))",
    put: "tree.terms.every((term) => isSure(term, any, inside))",
  },
  {
    says: "an optimisation takes a condition that may fail for true",
    file: "compiler/optimize/fold-constant-conditions.ts",
    find: "if (value instanceof EvalError) return condition;",
    put: "if (value instanceof EvalError) return constant(true);",
  },
  {
    says: "a loop in place is satisfied by no item",
    file: "compiler/emit/forms/loop-in-place.ts",
    find: "? { before: [], turn: [js`if (${test}) return true;`], after: js`false` }",
    put: "? { before: [], turn: [js`if (${test}) return true;`], after: js`true` }",
  },
  {
    says: "the value of a loop in place forgets that a turn failed",
    file: "compiler/emit/forms/loop-in-place.ts",
    find: "after: js`${failed} ? undefined : ${other}`",
    put: "after: other",
  },
  {
    says: "a loop in place goes on when its range is no list",
    file: "runtime/emitted/range.ts",
    find: "return isMap(range) ? mapKeys(range) : undefined;",
    put: "return isMap(range) ? mapKeys(range) : [];",
  },
  {
    says: "a size that is an error is zero",
    file: "runtime/emitted/count.ts",
    find: 'return typeof size === "bigint" ? Number(size) : Number.NaN;',
    put: 'return typeof size === "bigint" ? Number(size) : 0;',
  },
  {
    says: "a size is greater than one that it equals",
    file: "compiler/emit/forms/count.ts",
    find: '["_>_", [greater, atMost]],',
    put: '["_>_", [atLeast, atMost]],',
  },
  {
    says: "what is no text does not start with a text",
    file: "compiler/emit/forms/text-test.ts",
    find: 'return terms("&&", [js`typeof ${first} === "string"`, js`${not}${again}${test[0]}(${test[1]})`]);',
    put: "return js`${not}String(${first})${test[0]}(${test[1]})`;",
  },
  {
    says: "an attribute is read from a text or list as if it were an object",
    file: "compiler/emit/forms/reader.ts",
    find: 'js`(of) => rt.bare${member(field)} === undefined && typeof of === "object" && of !== null ? of${member(field)} : rt.get(of, ${quoted(field)})`',
    put: "js`(of) => (of === undefined || of === null ? undefined : of${member(field)})`",
  },
  {
    says: "a read that is shared takes the request's word for a loop's variable",
    file: "compiler/emit/forms/shared-reads.ts",
    find: "(at.absolute !== true && scope.locals.has(at.name))",
    put: "false",
  },
  {
    says: "whoever takes all variables takes what the first one took",
    file: "compiler/emit/policy-scope.ts",
    find: "() => known.size,",
    put: "() => 0,",
  },
];
