/** The context in which an expression is emitted: local names, enclosing function, policy, unit. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { WhenFailed } from "../../runtime/decide/condition.ts";
import { type Code, type Name, block, js, list, newName } from "./code.ts";
import type { FormName } from "./forms/index.ts";
import type { ValueType } from "./value-type.ts";

/** Emitted code of a value. The code is an atom: it needs no parentheses anywhere. */
export interface Emitted {
  readonly code: Code;
  readonly type: ValueType;
  /** It cannot be an error, so `undefined` can be ruled out. */
  readonly cannotFail: boolean;
  /** It certainly is a JSON object: attributes and claims. */
  readonly isObject?: true;
  /** The value, if the expression is a literal. */
  readonly literal?: Value;
  /** The code is a name, so it can be repeated without cost. */
  readonly isName?: true;
  /** The function that the code calls, for a variable evaluated on first read. */
  readonly lazy?: Name;
}

/** Emits expressions; the files of the emitter call each other through it. */
export interface ExpressionEmitter {
  /** Code of the value; `undefined` for an error. */
  readonly value: (expression: Expression, context: EmitContext) => Emitted;
  /** Code that is true exactly if the expression evaluates to `outcome`; false for an error or another value. */
  readonly is: (outcome: boolean, expression: Expression, context: EmitContext) => Code;
}

/** The context of an expression. */
export interface EmitContext {
  /** `q`; in a constant, which is evaluated once at load, `rt.load`. */
  readonly query: Code;
  readonly locals: ReadonlyMap<string, Emitted>;
  /** The other names, for a standalone expression that has no policy. */
  readonly variables?: (name: string) => Emitted | undefined;
  /** Attributes that the current function has read already, by path. */
  readonly reads: ReadonlyMap<string, Emitted>;
  readonly frame: Frame;
  readonly definitions: PolicyDefinitions;
  readonly factory: Factory;
}

/** V and C of one policy or derived role. */
export interface PolicyDefinitions {
  readonly constants: ReadonlyMap<string, Value>;
  readonly variable: (name: string) => VariableUse | undefined;
  /** For the rare expressions that use C or V as a whole value. */
  readonly allConstants: () => Code;
  readonly allVariables: () => Code;
}

/** How an expression reads a variable: by a cached call, or inlined. */
export type VariableUse =
  | { readonly kind: "call"; readonly failed: WhenFailed; readonly emitted: Emitted }
  | {
      readonly kind: "inline";
      readonly failed: WhenFailed;
      readonly expression: Expression;
      readonly contextAt: (at: EmitContext) => EmitContext;
    };

/** The temporaries of the current function, and the statements at its beginning. */
export interface Frame {
  /** Declared together, in one `let`. */
  readonly temporaries: Name[];
  /** The statements. */
  readonly first: Code[];
}

/** The declarations of the unit's factory, and the options of emission. */
export interface Factory {
  /** Whether a fast form is enabled. */
  readonly uses: (form: FormName) => boolean;
  /** Declares a function before the current one; returns its name. */
  readonly declare: (hint: string, words: () => string, value: Code) => Name;
  /** The function that reads an attribute of a JSON object. */
  readonly reader: (field: string) => Name;
  /** Declares a constant at the head of the factory; returns its name. */
  readonly hoist: (hint: string, value: Code) => Name;
  /** The constant that holds a getter of timestamps. */
  readonly reading: (getter: string) => Name;
  /** The constant that holds one overload of a function. */
  readonly overload: (id: string) => Name;
  /** The constant that holds a CEL function, or a single overload of it. */
  readonly functionNamed: (name: string, receiver: boolean, arity: number, overload?: string) => Name;
}

/** Returns an empty frame. */
export const openFrame = (): Frame => ({ temporaries: [], first: [] });

/**
 * Adds a temporary to the current function. Functions reuse the same names; a nested function never reads the outer
 * one's temporary.
 */
export function temporary(context: EmitContext): Name {
  const { temporaries } = context.frame;
  const name = names[temporaries.length] ?? newName("it");
  if (names.length === temporaries.length) names.push(name);
  temporaries.push(name);
  return name;
}

/** Code that evaluates a value, and code that reads it again: through a temporary unless it is a name already. */
export function evaluateOnce(emitted: Emitted, context: EmitContext): readonly [first: Code, again: Code] {
  if (emitted.isName === true) return [emitted.code, emitted.code];
  const name = temporary(context);
  return [js`(${name} = ${emitted.code})`, js`${name}`];
}

// The same names for every unit, because names are compared by identity and each print chooses their spelling.
const names: Name[] = [];

/** Emits `(parameters) => body`, with the temporaries of the body. */
export function arrow(parameters: readonly (Code | Name)[], frame: Frame, body: Code): Code {
  const head = js`(${list(parameters.map((parameter) => js`${parameter}`))}) =>`;
  if (frame.temporaries.length === 0 && frame.first.length === 0) return js`${head} ${body}`;
  return block(js`${head} {`, [...opening(frame), js`return ${body};`], js`}`);
}

/** The beginning of a function body: first statements and temporaries. */
export const opening = ({ first, temporaries }: Frame): readonly Code[] =>
  temporaries.length === 0 ? first : [...first, js`let ${list(temporaries.map((name) => js`${name}`))};`];

/** Emits a function over one or two loop variables, with a frame of its own. */
export function loopFunction(
  variables: readonly { readonly name: string; readonly type: ValueType }[],
  context: EmitContext,
  body: (inner: EmitContext) => Code,
): Code {
  const locals = new Map(context.locals);
  const parameters = variables.map(({ name, type }) => {
    const parameter = newName(name);
    locals.set(name, { code: js`${parameter}`, type, cannotFail: true, isName: true });
    return parameter;
  });
  const frame = openFrame();
  return arrow(parameters, frame, body({ ...context, locals, frame }));
}

/** Adds parentheses. */
export const atom = (code: Code): Code => js`(${code})`;
