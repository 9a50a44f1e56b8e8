/** Prints the operand types that an operation does not accept, as a signature: `double < string`. */
import { kindOf } from "../kind.ts";
import { signOf } from "../signature.ts";
import { Message, Opaque, type Value } from "../value.ts";
import type { Expression } from "../ast.ts";
import type { Place } from "../error.ts";

/** Most arguments whose types are printed. */
const maxArguments = 8;

/** Returns the type name of a value. */
export const kindName = (value: Value): string => (value instanceof Opaque || value instanceof Message ? value.typeName : kindOf(value));

/** Returns the operation with types in place of operands; undefined if the failed node is no call. */
export function operationWithTypes({ tree, operands, asker }: Place): string | undefined {
  if (asker !== undefined) return refusal(asker, operands[0] ?? null);
  return tree.kind === "call" ? metCall(tree.function, tree.target, operands.map(kindName)) : undefined;
}

function metCall(name: string, target: Expression | undefined, kinds: readonly string[]): string {
  const [first = "", second = ""] = kinds;
  const sign = signOf(name);
  if (sign !== undefined) return kinds.length === 1 ? `${sign}${first}` : `${first} ${sign} ${second}`;
  if (name === "_[_]" || name === "_[?_]") return `${first}[${second}]`;
  const rest = kinds.slice(target === undefined ? 0 : 1);
  const list = rest.length > maxArguments ? [...rest.slice(0, maxArguments), "..."] : rest;
  return `${target === undefined ? "" : `${first}.`}${name}(${list.join(", ")})`;
}

const optionalAskers: ReadonlySet<string> = new Set(["or", "orValue", "optMap", "optFlatMap"]);

const refusal = (asker: string, value: Value): string =>
  `${asker} takes ${optionalAskers.has(asker) ? "an optional" : "true or false"}, not ${kindName(value)}`;
