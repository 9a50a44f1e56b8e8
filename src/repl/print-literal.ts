/** Prints values as CEL literals, on one line or wrapped to a width, and truncated to a budget of characters. */
import { isList, isMap, type MapValue } from "../../runtime/cel/kind.ts";
import { mapEntries } from "../../runtime/cel/map.ts";
import { printValue } from "../../runtime/cel/print-value.ts";
import { CelMap, Message, type Value } from "../../runtime/cel/value.ts";

/** Options of printing. */
export interface PrintOptions {
  /** The line width; undefined prints on one line. */
  readonly width: number | undefined;
  /** About how many characters are printed; the rest is counted. */
  readonly budget: number;
  /** Returns the fields of a record. */
  readonly fieldNames: (record: string) => readonly string[];
}

/** A string, or bracketed items. */
type Layout =
  | string
  | { readonly open: string; readonly close: string; readonly items: readonly (readonly [prefix: string, item: Layout])[] };

/** Prints a value. */
export function printLiteral(value: Value, printing: PrintOptions): string {
  const layout = layOut(value, printing);
  return printLayout(layout, printing.width ?? Infinity, 0);
}

/** A list element; a map entry; a field of a record with its unquoted name. */
type Item = { readonly value: Value } | { readonly key: Value; readonly value: Value } | { readonly field: string; readonly value: Value };

function layOut(root: Value, { budget, fieldNames }: PrintOptions): Layout {
  let remaining = budget;
  const text = (value: Value): string => {
    const maxLength = Math.max(remaining, 0) + 1;
    // Long strings are truncated first, because printing them completely would defeat the budget.
    const isCut = (typeof value === "string" || value instanceof Uint8Array) && value.length > maxLength;
    const printed = printValue(isCut ? value.slice(0, maxLength) : value);
    remaining -= printed.length;
    return isCut ? `${printed}…` : printed;
  };
  const bracketed = (open: string, close: string, size: number, all: Iterable<Item>): Layout => {
    const items: (readonly [string, Layout])[] = [];
    for (const item of all) {
      if (remaining <= 0) {
        items.push(["", `… ${size - items.length} more`]);
        break;
      }
      remaining -= 2;
      const prefix = "key" in item ? `${text(item.key)}: ` : "field" in item ? `${item.field}: ` : "";
      items.push([prefix, visit(item.value)]);
    }
    return { open, close, items };
  };
  const visit = (value: Value): Layout => {
    if (isList(value)) return bracketed("[", "]", value.length, elementsOf(value));
    if (isMap(value))
      return bracketed("{", "}", value instanceof CelMap ? value.entries.size : Object.keys(value).length, entriesOf(value));
    if (!(value instanceof Message)) return text(value);
    const names = fieldNames(value.typeName).filter((name) => value.has(name));
    return bracketed(`${value.typeName}{`, "}", names.length, fieldsOf(value, names));
  };
  return visit(root);
}

function* elementsOf(list: readonly Value[]): Iterable<Item> {
  for (const value of list) yield { value };
}

function* entriesOf(map: MapValue): Iterable<Item> {
  for (const [key, value] of mapEntries(map)) yield { key, value };
}

function* fieldsOf(record: Message, names: readonly string[]): Iterable<Item> {
  for (const field of names) yield { field, value: record.get(field) ?? null };
}

const printOnOneLine = (layout: Layout): string =>
  typeof layout === "string"
    ? layout
    : `${layout.open}${layout.items.map(([prefix, item]) => prefix + printOnOneLine(item)).join(", ")}${layout.close}`;

function printLayout(layout: Layout, width: number, indent: number): string {
  const line = printOnOneLine(layout);
  if (typeof layout === "string" || line.length + indent <= width || layout.items.length === 0) return line;
  const inner = " ".repeat(indent + 2);
  const items = layout.items.map(([prefix, item]) => `${inner}${prefix}${printLayout(item, width, indent + 2)}`);
  return `${layout.open}\n${items.join(",\n")}\n${" ".repeat(indent)}${layout.close}`;
}
