/**
 * Emits macros with one variable as inlined loops: a function before the condition, which receives what it captures
 * as arguments.
 */
import type { Loop } from "../../../runtime/cel/ast.ts";
import { printExpression } from "../../cel/print.ts";
import { type Code, type Name, block, js, list, newName } from "../code.ts";
import { freeNames } from "../references.ts";
import { type Emitted, type ExpressionEmitter, type EmitContext, opening, openFrame } from "../context.ts";
import { shareReads } from "./shared-reads.ts";
import { type ValueType, boolType, itemType, listType } from "../value-type.ts";

/** Whether a macro is emitted here. For two variables, and for macros that build maps or sort, the runtime loops. */
export const isInlined = (expression: Loop, context: EmitContext): boolean =>
  expression.variables.length === 1 && inPlace.has(expression.macro) && context.factory.uses("loop in place");

const inPlace: ReadonlySet<string> = new Set(["all", "exists", "existsOne", "map", "filter"]);

/** Emits whether `exists` or `all` evaluates to `outcome`. */
export function inlineLoopIs(outcome: boolean, expression: Loop, context: EmitContext, emit: ExpressionEmitter): Code {
  // One item with the outcome is enough for `exists` to be true and for `all` to be false.
  const some = (expression.macro === "exists") === outcome;
  const name = outcome ? expression.macro : expression.macro === "exists" ? "no" : "not all";
  return inFunction(expression, name, context, emit, js`false`, (inner) => {
    const test = emit.is(outcome, expression.body, inner);
    return some
      ? { before: [], iteration: [js`if (${test}) return true;`], after: js`false` }
      : { before: [], iteration: [js`if (!(${test})) return false;`], after: js`true` };
  }).code;
}

/** Emits the value of a macro. */
export function emitInlineLoop(expression: Loop, context: EmitContext, emit: ExpressionEmitter): Emitted {
  let type: ValueType = boolType;
  const { code, range } = inFunction(expression, expression.macro, context, emit, js`undefined`, (inner, item) => {
    switch (expression.macro) {
      case "exists":
      case "all":
        return decide(expression, inner, emit);
      case "existsOne":
        return {
          before: [js`let ${count} = 0;`],
          iteration: [...mustBeBoolean(emit.value(expression.body, inner)), js`if (${answer}) ${count}++;`],
          after: js`${count} === 1`,
        };
      case "filter":
        return {
          before: [js`const ${made} = [];`],
          iteration: [...mustBeBoolean(emit.value(expression.body, inner)), js`if (${answer}) ${made}.push(${item});`],
          after: js`${made}`,
        };
      default: {
        const kept =
          expression.filter === undefined ? [] : [...mustBeBoolean(emit.value(expression.filter, inner)), js`if (!${answer}) continue;`];
        const body = emit.value(expression.body, inner);
        type = listType(body.type);
        const collect = body.cannotFail
          ? [js`${made}.push(${body.code});`]
          : [js`const ${one} = ${body.code};`, js`if (${one} === undefined) return undefined;`, js`${made}.push(${one});`];
        return { before: [js`const ${made} = [];`], iteration: [...kept, ...collect], after: js`${made}` };
      }
    }
  });
  return { code, type: expression.macro === "filter" ? listType(itemType(range)) : type, cannotFail: false };
}

/** The value of `exists` or `all`: one item decides, even if others are errors. */
function decide(expression: Loop, inner: EmitContext, emit: ExpressionEmitter): Body {
  const [deciding, other] = expression.macro === "exists" ? [js`true`, js`false`] : [js`false`, js`true`];
  const body = emit.value(expression.body, inner);
  return {
    before: [js`let ${failed} = false;`],
    iteration: [
      js`const ${answer} = ${body.code};`,
      js`if (${answer} === ${deciding}) return ${deciding};`,
      js`if (${answer} !== ${other}) ${failed} = true;`,
    ],
    after: js`${failed} ? undefined : ${other}`,
  };
}

/** In the other macros an error or a non-boolean makes the result an error. */
const mustBeBoolean = (test: Emitted): readonly Code[] => [
  js`const ${answer} = ${test.code};`,
  js`if (typeof ${answer} !== "boolean") return undefined;`,
];

// The same names in every such function, because these functions are not nested; names are compared by identity, so
// none can collide with a policy's.
const [walked, items, at] = [newName("range"), newName("items"), newName("at")];
const [answer, count, made, one, failed] = [newName("answer"), newName("count"), newName("made"), newName("one"), newName("failed")];

/** The statements of a loop before and in its iterations, and the result after them. */
interface Body {
  readonly before: readonly Code[];
  readonly iteration: readonly Code[];
  readonly after: Code;
}

/** Declares the function of a loop and emits its call; `noRange` is the result if the range is an error. */
function inFunction(
  expression: Loop,
  verb: string,
  context: EmitContext,
  emit: ExpressionEmitter,
  noRange: Code,
  body: (inner: EmitContext, item: Name) => Body,
): { readonly code: Code; readonly range: ValueType } {
  const range = emit.value(expression.range, context);
  const [variable] = expression.variables;
  const parts = expression.filter === undefined ? [expression.body] : [expression.filter, expression.body];
  const captured = capture(new Set(parts.flatMap((part) => [...freeNames(part)])), variable, context);
  // The variables of a standalone expression are one object.
  const around = context.variables === undefined ? [] : [js`variables`];
  const item = newName(variable);
  const locals = new Map(captured.locals).set(variable, { code: js`${item}`, type: itemType(range.type), cannotFail: true, isName: true });
  const frame = openFrame();
  const inner = shareReads(parts, { ...context, query: js`q`, locals, reads: new Map(), frame }, emit, 1);
  const { before, iteration, after } = body(inner, item);
  const name = context.factory.declare(
    `${verb} ${variable}`,
    () => (verb === expression.macro ? printExpression(expression) : `whether this is false: ${printExpression(expression)}`),
    block(
      js`(${list([js`q`, ...around, js`${walked}`, ...captured.parameters])}) => {`,
      [
        js`const ${items} = rt.items(${walked});`,
        js`if (${items} === undefined) return ${noRange};`,
        ...opening(frame),
        ...before,
        block(
          js`for (let ${at} = 0; ${at} < ${items}.length; ${at}++) {`,
          [js`const ${item} = ${items}[${at}];`, js`q.step();`, ...iteration],
          js`}`,
        ),
        js`return ${after};`,
      ],
      js`}`,
    ),
  );
  return { code: js`${name}(${list([context.query, ...around, range.code, ...captured.arguments])})`, range: range.type };
}

/** The variables of enclosing macros that a loop uses, as parameters of its function. */
function capture(names: ReadonlySet<string>, own: string, context: EmitContext) {
  const locals = new Map<string, Emitted>();
  const parameters: Code[] = [];
  const given: Code[] = [];
  for (const [name, local] of context.locals) {
    if (name === own || !names.has(name)) continue;
    const parameter = newName(name);
    parameters.push(js`${parameter}`);
    given.push(local.lazy === undefined ? local.code : js`${local.lazy}`);
    const { type, cannotFail } = local;
    locals.set(
      name,
      local.lazy === undefined
        ? { code: js`${parameter}`, type, cannotFail, isName: true }
        : { code: js`${parameter}()`, type, cannotFail, lazy: parameter },
    );
  }
  return { locals, parameters, arguments: given };
}
