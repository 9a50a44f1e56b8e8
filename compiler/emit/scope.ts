/** The context in which an expression is emitted: its local names, the enclosing function, its policy, the unit. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { WhenFailed } from "../../runtime/decide/condition.ts";
import { type Code, type Name, block, js, list, newName } from "./code.ts";
import type { FormName } from "./forms/index.ts";
import type { ValueType } from "./value-type.ts";

/** Program text of a value. Its code is an atom: it can stand anywhere without parentheses. */
export interface Emitted {
  readonly code: Code;
  readonly type: ValueType;
  /** It cannot be an error; only then may `undefined` be ruled out. */
  readonly total: boolean;
  /** It is an object from JSON, for certain: attributes and claims. */
  readonly isObject?: true;
  /** The datum itself, where the expression is a literal. */
  readonly literal?: Value;
  /** The code is a name: it may be written again where the value is needed again. */
  readonly isName?: true;
  /** The function that the code calls, where a local is computed when it is first read. */
  readonly lazy?: Name;
}

/** Emits expressions; the parts of the emitter call each other through it. */
export interface Expressions {
  /** Code of the value; `undefined` where CEL has an error. */
  readonly value: (expression: Expression, scope: Scope) => Emitted;
  /** Code that is true exactly when the expression comes to `outcome`: neither an error nor another value counts. */
  readonly is: (outcome: boolean, expression: Expression, scope: Scope) => Code;
}

/** Where an expression stands while it is emitted. */
export interface Scope {
  /** `q`; within a constant, computed once for all, `rt.load`. */
  readonly query: Code;
  readonly locals: ReadonlyMap<string, Emitted>;
  /** What names mean that are not local, where they are not those of a policy: in an expression that stands alone. */
  readonly variables?: (name: string) => Emitted | undefined;
  /** Attributes that the function being emitted has read already, by their path. */
  readonly reads: ReadonlyMap<string, Emitted>;
  readonly frame: Frame;
  readonly policy: PolicyScope;
  readonly factory: Factory;
}

/** The names V and C of one policy, or of one derived role. */
export interface PolicyScope {
  readonly constants: ReadonlyMap<string, Value>;
  readonly variable: (name: string) => VariableUse | undefined;
  /** For the rare expression that takes C or V as one value. */
  readonly allConstants: () => Code;
  readonly allVariables: () => Code;
}

/** How an expression reads a variable: by a call that remembers, or by having its expression in place. */
export type VariableUse =
  | { readonly kind: "call"; readonly failed: WhenFailed; readonly emitted: Emitted }
  | { readonly kind: "inline"; readonly failed: WhenFailed; readonly expression: Expression; readonly scope: (at: Scope) => Scope };

/** Temporaries of the function being emitted, and what it does before anything else. */
export interface Frame {
  readonly temporaries: Name[];
  readonly first: Code[];
}

/** Declarations of the unit's factory, and how it is emitted. */
export interface Factory {
  /** Says whether a fast form is switched on. */
  readonly uses: (form: FormName) => boolean;
  /** Declares a function just before the one that is being emitted, and answers its name. */
  readonly declare: (hint: string, words: () => string, value: Code) => Name;
  /** The function that reads an attribute of an object from JSON. */
  readonly reader: (field: string) => Name;
  /** Declares a constant there and answers its name. */
  readonly hoist: (hint: string, value: Code) => Name;
  /** The constant that holds what a getter of timestamps reads. */
  readonly reading: (getter: string) => Name;
  /** The constant that holds one overload of a function. */
  readonly overload: (id: string) => Name;
  /** The constant that holds a function of the language, or one overload of it as if it had no other. */
  readonly functionNamed: (name: string, receiver: boolean, arity: number, overload?: string) => Name;
}

/** Opens a frame. */
export const openFrame = (): Frame => ({ temporaries: [], first: [] });

/**
 * A new temporary of the surrounding function. Functions share the names of their temporaries: what one function keeps
 * in one, no function within it reads.
 */
export function temporary(scope: Scope): Name {
  const { temporaries } = scope.frame;
  const name = names[temporaries.length] ?? newName("it");
  if (names.length === temporaries.length) names.push(name);
  temporaries.push(name);
  return name;
}

/** Code to take a value, and code to take it again: a temporary keeps what has no name of its own. */
export function held(emitted: Emitted, scope: Scope): readonly [first: Code, again: Code] {
  if (emitted.isName === true) return [emitted.code, emitted.code];
  const name = temporary(scope);
  return [js`(${name} = ${emitted.code})`, js`${name}`];
}

// The same names for every unit: a name is a thing, and each print of a tree chooses letters of its own.
const names: Name[] = [];

/** Emits `(parameters) => body`, with the temporaries that the body asked for. */
export function arrow(parameters: readonly (Code | Name)[], frame: Frame, body: Code): Code {
  const head = js`(${list(parameters.map((parameter) => js`${parameter}`))}) =>`;
  if (frame.temporaries.length === 0 && frame.first.length === 0) return js`${head} ${body}`;
  return block(js`${head} {`, [...opening(frame), js`return ${body};`], js`}`);
}

/** What a function's body starts with: what it does first, and its temporaries. */
export const opening = ({ first, temporaries }: Frame): readonly Code[] =>
  temporaries.length === 0 ? first : [...first, js`let ${list(temporaries.map((name) => js`${name}`))};`];

/** Emits a function over one or two loop variables, in a frame of its own. */
export function loopFunction(
  variables: readonly { readonly name: string; readonly type: ValueType }[],
  scope: Scope,
  body: (inner: Scope) => Code,
): Code {
  const locals = new Map(scope.locals);
  const parameters = variables.map(({ name, type }) => {
    const parameter = newName(name);
    locals.set(name, { code: js`${parameter}`, type, total: true, isName: true });
    return parameter;
  });
  const frame = openFrame();
  return arrow(parameters, frame, body({ ...scope, locals, frame }));
}

/** Puts an expression in parentheses. */
export const atom = (code: Code): Code => js`(${code})`;
