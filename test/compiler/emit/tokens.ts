/** Shows that the two prints of a program are one tree: token by token, names and constants put back. */
import ts from "typescript";
import { expect } from "vitest";
import { js } from "../../../compiler/emit/code.ts";
import type { Constant } from "../../../compiler/emit/escape.ts";
import { printForPeople } from "../../../compiler/emit/print-code.ts";

/** Compares token by token: the machine's `k3` stands for a constant, its `n3` for a name, each the same one everywhere. */
export function expectSameTokens(people: string, machine: string, values: readonly Constant[]): void {
  const left = tokens(people);
  const right = tokens(machine.replace(/const \[k0[^\n]*= k;\n/, ""));
  const names = new Map<string, string>();
  let at = 0;
  for (const token of right) {
    if (/^k\d+$/.test(token)) {
      const printed = tokens(`(${printForPeople(js`${values[Number(token.slice(1))] ?? null}`)})`).slice(1, -1);
      expect(left.slice(at, at + printed.length)).toEqual(printed);
      at += printed.length;
    } else if (/^n\d+$/.test(token)) {
      const identifier = left[at++] ?? "";
      expect(names.get(token) ?? identifier).toBe(identifier);
      names.set(token, identifier);
    } else expect(left[at++]).toBe(token);
  }
  expect(at).toBe(left.length);
  expect(new Set(names.values()).size).toBe(names.size);
}

/** The people's print of a unit as the machine's has it: a function or mask that stands there already stands there once. */
export function sharingTwins(people: string): string {
  const all = tokens(people);
  const first = new Map<string, string>();
  const twins = new Map<string, string>();
  const renamed = (part: readonly string[]): readonly string[] =>
    part.map((token, index) => (part[index - 1] === "." ? token : (twins.get(token) ?? token)));
  const isNumber = (part: readonly string[], index: number): boolean => part[index - 1] === "(" && part[index - 2] === "variable";
  let at = all.indexOf("{") + 1;
  const kept = all.slice(0, at);
  for (let end = at; all[at] === "const"; at = end) {
    let depth = 0;
    for (end = at + 1; depth > 0 || all[end - 1] !== ";"; end++) depth += nesting(all[end]);
    const declaration = renamed(all.slice(at, end));
    const [, name = ""] = declaration;
    // The number of a variable goes with its function.
    const said = declaration.filter((_, index) => index > 2 && !isNumber(declaration, index)).join(" ");
    const known = /^(?:\( q\b|\d+ ;$)/.test(said) ? first.get(said) : undefined;
    if (known === undefined) kept.push(...declaration);
    else twins.set(name, known);
    first.set(said, known ?? name);
  }
  const whole = [...kept, ...renamed(all.slice(at))];
  const variables = [...new Set(whole.filter((_, index) => isNumber(whole, index - 2)))];
  return whole.map((token, index) => (isNumber(whole, index) ? variables.indexOf(whole[index + 2] ?? "") : token)).join(" ");
}

const nesting = (token = ""): number => (/^[([{]$/.test(token) ? 1 : /^[)\]}]$/.test(token) ? -1 : 0);

function tokens(text: string): readonly string[] {
  const scanner = ts.createScanner(ts.ScriptTarget.ES2022, true, ts.LanguageVariant.Standard, text);
  const found: string[] = [];
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) found.push(scanner.getTokenText());
  return found;
}
