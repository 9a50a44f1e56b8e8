/**
 * Prints one tree in two ways: for readers, with comments and speaking names; for the machine, with the differences
 * between policies taken out.
 */
import { type Code, type Name, emptyLine } from "./code.ts";
import { type Constant, commentWords, printConstant, printMember, quote } from "./escape.ts";
import { identifiers } from "./identifiers.ts";
import type { Span } from "../source.ts";

const width = 110;

/** Prints a program for readers: constants inline, a comment above each branch, two-space indent. */
export function printForPeople(code: Code): string {
  const writer = openWriter();
  const nameOf = identifiers();
  const numberOf = numbering();
  const inline = (part: Code): string => printFlat(part, { nameOf, numberOf, constant: printConstant });
  const write = (part: Code, indent: number): void => {
    switch (part.kind) {
      case "lines":
        writeLines(part.parts, indent);
        return;
      case "block":
        write(part.open, indent);
        writer.line();
        writeLines(part.body, indent + 1);
        writer.text(indent, "");
        write(part.close, indent);
        return;
      case "sequence":
        part.parts.forEach((of) => write(of, indent));
        return;
      case "terms": {
        const text = inline(part);
        if (!text.includes("\n") && text.length <= width - Math.max(writer.column(), indent * 2)) return writer.text(indent, text);
        const glue = part.operator === "," ? "," : ` ${part.operator}`;
        part.parts.forEach((of, at) => {
          if (at > 0) {
            writer.text(indent, glue);
            writer.line();
          }
          write(of, at === 0 ? indent : indent + 1);
        });
        return;
      }
      case "comment":
        writer.text(indent, commentLine(part.words()));
        return;
      case "text":
      case "constant":
      case "quoted":
      case "member":
      case "name":
      case "variable":
      case "constants":
        writer.text(indent, inline(part));
    }
  };
  const writeLines = (parts: readonly Code[], indent: number): void => {
    let first = true;
    for (const part of parts) {
      if (isNothingToRead(part) || (first && part === emptyLine)) continue;
      first = false;
      write(part, indent);
      if (part.kind !== "lines") writer.line();
    }
  };
  write(code, 0);
  return writer.end();
}

/** Empty words make an empty line. */
const commentLine = (words: string): string => (words === "" ? "" : `// ${commentWords(words)}`);

/** The machine print: text without what differs between policies, and those values in the order of `k0`, `k1` ... */
export interface MachinePrint {
  readonly text: string;
  readonly constants: readonly Constant[];
}

/**
 * Prints a program for the machine: no comments, names or positions; constants become `k0`, `k1` ... in order of substitution.
 * The name of a dropped duplicate is printed as that of the original.
 */
export function printForMachine(code: Code, originals: ReadonlyMap<Name, Name> = new Map()): MachinePrint {
  const values: Constant[] = [];
  const [names, variables] = [numbering(), numbering()];
  const original = (name: Name): Name => originals.get(name) ?? name;
  const words: Words = {
    nameOf: (name) => `n${names(original(name))}`,
    numberOf: (name) => variables(original(name)),
    constant: (value) => `k${values.push(value) - 1}`,
  };
  const placeholder = "\0";
  const text = printFlat(code, words, placeholder);
  const declared = values.length === 0 ? "" : `const [${values.map((_, at) => `k${at}`).join(", ")}] = k;\n`;
  return { text: text.replace(placeholder, () => declared), constants: values };
}

/** Returns a function that numbers names in order of first use. */
function numbering(): (name: Name) => number {
  const known = new Map<Name, number>();
  return (name) => {
    const number = known.get(name) ?? known.size;
    known.set(name, number);
    return number;
  };
}

/** Returns for each line of the machine print the source of the last comment before it. */
export function printPlaces(code: Code): readonly (Span | undefined)[] {
  const found: (readonly [offset: number, at: Span])[] = [];
  let constants = 0;
  const text = printFlat(code, { nameOf: () => "n", numberOf: () => 0, constant: () => `k${constants++}` }, "\0", (offset, at) =>
    found.push([offset, at]),
  );
  const places: (Span | undefined)[] = [];
  let start = 0;
  let next = 0;
  for (const line of text.split("\n")) {
    let at = places.at(-1);
    for (; (found[next]?.[0] ?? Infinity) <= start; next++) at = found[next]?.[1];
    places.push(at);
    // The line that declares the constants adds one.
    if (constants > 0 && line.includes("\0")) places.push(at);
    start += line.length + 1;
  }
  return places;
}

/** How a print spells names, numbers of variables, and constants. */
export interface Words {
  readonly nameOf: (name: Name) => string;
  readonly numberOf: (variable: Name) => number | "";
  readonly constant: (value: Constant) => string;
}

/**
 * Prints without line breaks except between statements, and without comments; `met` receives those with a source
 * position.
 */
export function printFlat(
  code: Code,
  { nameOf, numberOf, constant }: Words,
  placeholder = "",
  met?: (offset: number, at: Span) => void,
): string {
  let out = "";
  const write = (part: Code): void => {
    switch (part.kind) {
      case "text":
        out += part.text;
        return;
      case "constant":
        out += constant(part.value);
        return;
      case "quoted":
        out += quote(part.value);
        return;
      case "member":
        out += printMember(part.name);
        return;
      case "name":
        out += nameOf(part.name);
        return;
      case "variable":
        out += numberOf(part.name);
        return;
      case "comment":
        return;
      case "constants":
        out += placeholder;
        return;
      case "sequence":
        for (const of of part.parts) write(of);
        return;
      case "terms": {
        const glue = part.operator === "," ? ", " : ` ${part.operator} `;
        for (const [at, of] of part.parts.entries()) {
          if (at > 0) out += glue;
          write(of);
        }
        return;
      }
      case "lines":
        writeLines(part.parts);
        return;
      case "block":
        write(part.open);
        out += "\n";
        writeLines(part.body);
        write(part.close);
    }
  };
  const writeLines = (parts: readonly Code[]): void => {
    for (const part of parts) {
      if (part.kind === "comment" && part.at !== undefined) met?.(out.length, part.at);
      if (isEmpty(part) || part.kind === "comment") continue;
      write(part);
      if (part.kind !== "lines" && part.kind !== "constants") out += "\n";
    }
  };
  write(code);
  return out;
}

const isEmpty = (code: Code): boolean => code.kind === "sequence" && code.parts.length === 0;

/** The declaration of constants is not printed for readers, who see the constants inline. */
const isNothingToRead = (code: Code): boolean => isEmpty(code) || code.kind === "constants";

function openWriter() {
  const done: string[] = [];
  let current = "";
  return {
    column: (): number => current.length,
    text(indent: number, text: string): void {
      if (current === "" && text !== "") current = "  ".repeat(indent);
      current += text;
    },
    line(): void {
      done.push(current.trimEnd());
      current = "";
    },
    end(): string {
      if (current !== "") done.push(current.trimEnd());
      return `${done.join("\n")}\n`;
    },
  };
}
