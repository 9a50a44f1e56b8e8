/** Prints types as TypeScript. */
import { commentText, propertyName, stringLiteral, templateLiteral } from "./escape.ts";
import type { Member, Type } from "./type.ts";

/** Prints a type; references are qualified by `namespace`. */
export function printType(type: Type, namespace: string): string {
  const print = (inner: Type): string => printType(inner, namespace);
  const operand = (inner: Type): string => (isCompound(inner) ? `(${print(inner)})` : print(inner));
  switch (type.kind) {
    case "keyword":
      return type.keyword;
    case "literal":
      return typeof type.value === "string" ? stringLiteral(type.value) : printNumber(type.value);
    case "template":
      return templateLiteral(type.texts);
    case "reference":
      return `${namespace}${type.name}`;
    case "partial":
      return `Partial<${print(type.of)}>`;
    case "array":
      return `readonly ${operand(type.of)}[]`;
    case "tuple": {
      const items = type.items.map((item, index) => (index < type.required ? print(item) : `${operand(item)}?`));
      const rest = type.rest === undefined ? [] : [`...${operand(type.rest)}[]`];
      return `readonly [${[...items, ...rest].join(", ")}]`;
    }
    case "object":
      return printObject(type.members, type.others, print);
    case "union":
    case "intersection":
      return type.of.map(operand).join(type.kind === "union" ? " | " : " & ");
  }
}

// The types that need parentheses as operands; `readonly` binds weakest.
const isCompound = ({ kind }: Type): boolean => kind === "union" || kind === "intersection" || kind === "array" || kind === "tuple";

const printNumber = (value: number | boolean | null): string => (Object.is(value, -0) ? "0" : String(value));

function printObject(members: readonly Member[], others: Type | undefined, print: (type: Type) => string): string {
  const lines = members.map(({ name, type, isOptional, description }) => {
    const words = commentText(description);
    const above = words === "" ? "" : `/** ${words} */\n`;
    return `${above}readonly ${propertyName(name)}${isOptional ? "?" : ""}: ${print(type)};`;
  });
  const index = others === undefined ? [] : [`readonly [name: string]: ${print(others)};`];
  const all = [...lines, ...index];
  // An object type without members would accept anything but null.
  return all.length === 0 ? "{ readonly [name: string]: never }" : `{\n${all.join("\n")}\n}`;
}
