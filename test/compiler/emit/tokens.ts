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

function tokens(text: string): readonly string[] {
  const scanner = ts.createScanner(ts.ScriptTarget.ES2022, true, ts.LanguageVariant.Standard, text);
  const found: string[] = [];
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) found.push(scanner.getTokenText());
  return found;
}
