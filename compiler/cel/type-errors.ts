/** Error messages of the type checker: what is wrong with an expression, and how to correct it. */
import type { Call, Expression, Identifier, Loop, Select, Struct } from "../../runtime/cel/ast.ts";
import { printType, type Type } from "../../runtime/cel/type.ts";
import { nearest } from "../nearest.ts";
import type { Checker, Scope } from "./checker.ts";
import type { Environment } from "./environment.ts";
import { hyphenHint } from "./hyphen.ts";
import type { Issue } from "./issue.ts";
import { macroForms } from "./macros.ts";
import { functionHints, requestFieldHints, requestHints, valueHints } from "./keywords.ts";

const issue = ({ start, end }: Expression, message: string, hint?: string): Issue => ({
  start,
  end,
  message,
  ...(hint !== undefined && { hint }),
});

/** A name in backticks, shortened. */
const shown = (name: string): string => `\`${name.length > 60 ? `${name.slice(0, 60)}…` : name}\``;

function didYouMean(name: string, names: readonly string[]): string | undefined {
  // A one-letter name is one edit away from every other, so for these only the case may differ.
  const near = nearest(name, name.length > 1 ? names : names.filter((other) => other.toLowerCase() === name.toLowerCase()));
  return near === undefined ? undefined : `did you mean \`${near}\`?`;
}

/** An undeclared name. */
export function undeclared({ environment, root }: Checker, tree: Identifier, scope: Scope | undefined): Issue {
  const locals: string[] = [];
  for (let at = scope; at !== undefined; at = at.outer) locals.push(at.name);
  const hint =
    hyphenHint(root, tree) ??
    valueHints.get(tree.name) ??
    (["request", "P", "R"].every((name) => environment.variableNames.includes(name)) ? requestHints.get(tree.name) : undefined) ??
    didYouMean(tree.name, [...locals, ...environment.variableNames]) ??
    (environment.functions(tree.name).length > 0
      ? `it is a function: \`${tree.name}(…)\``
      : tree.name.length > 60
        ? undefined
        : `a string is written in quotes: "${tree.name}"`);
  return issue(tree, `${shown(tree.name)} is not declared`, hint);
}

/** A field that the message type does not have. */
export function undefinedField(environment: Environment, { field, start, end }: Select, record: string): Issue {
  const names = environment.fieldNames(record);
  const hint =
    (names.includes("principal") ? requestFieldHints.get(field) : undefined) ??
    didYouMean(field, names) ??
    (names.includes("attr") ? attributeHint(field, names) : fieldList(names));
  return { start, end, message: `undefined field ${shown(field)}`, ...(hint !== undefined && { hint }) };
}

/** A missing field of principal or resource is probably meant to be an attribute. */
const attributeHint = (field: string, names: readonly string[]): string | undefined =>
  field === "attributes"
    ? "did you mean `attr`?"
    : field.length > 60
      ? fieldList(names)
      : `write \`attr.${field}\` for an attribute; ${fieldList(names) ?? ""}`;

const fieldList = (names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : `the fields are ${names.map((name) => `\`${name}\``).join(", ")}`;

/** A field of a value that has no fields. */
export const noFields = (environment: Environment, tree: Select, type: Type): Issue =>
  issue(
    tree,
    `${printType(type)} has no fields, so no ${shown(tree.field)}`,
    functionHints.get(tree.field) ??
      (environment.functions(tree.field).some((overload) => overload.receiver)
        ? `it is a function: \`.${tree.field}(…)\``
        : type.kind === "list"
          ? "an element is written `list[0]`; `list.exists(item, …)` looks at each"
          : undefined),
  );

/** A message literal, for which there is no type. */
export const notAMessage = (tree: Struct): Issue =>
  issue(tree, `${shown(tree.name)} is not a message type`, 'a map is written without a name: `{"key": value}`');

/** A non-boolean where a condition is required; `what` is the beginning of the message. */
export const notBool = (tree: Expression, what: string, type: Type): Issue =>
  issue(
    tree,
    `${what} must be bool, not ${printType(type)}`,
    type.kind === "string" || type.kind === "int" ? "compare it with something" : undefined,
  );

/** A loop over something that is neither list nor map. */
export const notARange = (tree: Loop, type: Type): Issue =>
  issue(
    tree.range,
    tree.macro === "sortBy"
      ? `\`sortBy\` sorts a list, not ${printType(type)}`
      : `\`${tree.macroName}\` goes through a list or a map, not ${printType(type)}`,
  );

/** A body of `transformMapEntry` that is no map. */
export const notAMap = (tree: Expression, type: Type): Issue =>
  issue(tree, `\`transformMapEntry\` needs a map with the new entry, not ${printType(type)}`, "write `{key: value}`");

/** A sorting key without an order. */
export const notSortable = (tree: Expression, type: Type): Issue =>
  issue(tree, `\`sortBy\` cannot sort by ${printType(type)}`, "a key is a number, string, bytes, bool, timestamp or duration");

/** A macro of optionals on another type. */
export const notAnOptional = (tree: Expression, macro: string, type: Type): Issue =>
  issue(tree, `\`${macro}\` needs an optional here, not ${printType(type)}`, "write `optional.of(…)`, or select with `a.?b`");

/** An element marked `?` that is no optional. */
export const notOptional = (tree: Expression, type: Type): Issue =>
  issue(tree, `an element marked \`?\` must be an optional, not ${printType(type)}`, "remove the `?`, or write `optional.of(…)`");

/** Returns the syntax of a macro if the call has its name and no function has; otherwise undefined. */
export const macroForm = (environment: Environment, tree: Call, name: string): string | undefined =>
  environment.functions(tree.function).length > 0 ? undefined : (macroForms.get(name) ?? macroForms.get(tree.function));

/** An unknown function, or a macro with the wrong number of arguments. */
export function unknownFunction(environment: Environment, tree: Call, name: string): Issue {
  const form = macroForm(environment, tree, name);
  if (form !== undefined) return issue(tree, `\`${tree.function}\` is not called so`, `write ${form}`);
  return issue(
    tree,
    `there is no function ${shown(name)}`,
    functionHints.get(tree.function) ??
      didYouMean(name, [...environment.functionNames, ...macroForms.keys()]) ??
      nearMethod(environment, name) ??
      inNamespace(environment, tree.function),
  );
}

/** `strings.foo(x)` may be meant as the method `foo`. */
function nearMethod(environment: Environment, name: string): string | undefined {
  const last = name.slice(name.lastIndexOf(".") + 1);
  return last === name || environment.functions(last).length === 0 ? undefined : `\`${last}\` is called on a value: \`value.${last}(…)\``;
}

/** `quote(x)` may be meant as `strings.quote(x)`. */
function inNamespace(environment: Environment, name: string): string | undefined {
  const whole = environment.functionNames.find((other) => other.endsWith(`.${name}`));
  return whole === undefined ? undefined : `write \`${whole}(…)\``;
}
