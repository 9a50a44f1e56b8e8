/** The law of spreads: what comes into an object by `...` is known where it goes. */
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { unknownSpreads } from "./unknown-spreads.ts";

/** A program of one file. */
function programOf(text: string): ts.Program {
  const options: ts.CompilerOptions = { strict: true, noLib: true, types: [] };
  const host = ts.createCompilerHost(options);
  const source = ts.createSourceFile("a.ts", text, ts.ScriptTarget.ESNext, true);
  return ts.createProgram(["a.ts"], options, {
    ...host,
    getSourceFile: (name) => (name === "a.ts" ? source : undefined),
    fileExists: (name) => name === "a.ts",
  });
}

describe("is found", () => {
  const options = "interface Options { quiet?: number; kind?: { a: number } | { b: number } }\ndeclare const is: boolean;\n";
  test.each<[sentence: string, text: string, found: number]>([
    ["a property behind a condition", "const o: Options = { ...(is ? { quite: 1 } : {}) };", 1],
    ["one behind `&&`", "const o: Options = { ...(is && { quite: 1 }) };", 1],
    ["one of a constant", "const given = { quiet: 1, quite: 2 };\nconst o: Options = { ...given };", 1],
    ["one given to a function", "declare function open(o: Options): void;\nopen({ quiet: 1, ...(is ? {} : { quite: 1 }) });", 1],
    ["two in one spread", "const o: Options = { ...{ a: 1, quiet: 1, b: 2 } };", 2],
    ["none that the type has", "const o: Options = { ...(is ? { quiet: 1 } : {}) };", 0],
    ["none that one of the types has", 'const k: Options["kind"] = { ...{ a: 1 } };', 0],
    ["none where any name may stand", "const o: { [name: string]: number } = { ...{ quite: 1 } };", 0],
    ["none where anything may stand", "const o: unknown = { ...{ quite: 1 } };", 0],
    ["none without a type", "const o = { ...{ quite: 1 } };", 0],
  ])("%s", (_sentence, text, count) => {
    expect(unknownSpreads(programOf(options + text), (file) => file === "a.ts")).toHaveLength(count);
  });
});

test("what is spread into an object is known to its type", () => {
  const config = ts.getParsedCommandLineOfConfigFile(
    "tsconfig.json",
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  if (config === undefined) throw new Error("tsconfig.json cannot be read");
  const program = ts.createProgram(config.fileNames, config.options);
  expect(unknownSpreads(program, (file) => !/\/node_modules\/|\/proto\/gen\/|\.d\.ts$/.test(file))).toEqual([]);
});
