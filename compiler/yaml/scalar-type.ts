/** What a plain scalar is when no field says so: the core schema of YAML 1.2. Dates are text. */
import type { ScalarNode } from "./node.ts";

// oxfmt-ignore
const forms: readonly (readonly [ScalarNode["type"], RegExp])[] = [
  ["null",    /^(?:~|null|Null|NULL)?$/],
  ["boolean", /^(?:true|True|TRUE|false|False|FALSE)$/],
  ["integer", /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/],
  ["float",   /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/],
  ["float",   /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/],
];

/** Returns the type that a plain scalar has by its text. */
export function plainType(text: string): ScalarNode["type"] {
  return forms.find(([, form]) => form.test(text))?.[0] ?? "text";
}
