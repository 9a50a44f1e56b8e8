/** The real TypeScript compiler, for programs beside a declaration file. */
import ts from "typescript";
import { compile } from "../../compiler/index.ts";
import { digest } from "../../src/texts/digest.ts";
import { declarationsOf } from "../../src/types/declarations.ts";
import { vocabularyOf } from "../../src/types/vocabulary.ts";

const options: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  types: [],
  allowImportingTsExtensions: true,
  lib: ["lib.es2022.d.ts"],
};

// The library is read once for all programs.
const read = new Map<string, ts.SourceFile | undefined>();

/** Returns every error of a program, as `line: message`; those of the declarations begin with `policies.d.ts`. */
export function errorsOf(declarations: string, program = ""): readonly string[] {
  const files = new Map([
    ["/w/policies.d.ts", declarations],
    ["/w/program.ts", program],
  ]);
  const host = ts.createCompilerHost(options);
  const made: ts.CompilerHost = {
    ...host,
    getCurrentDirectory: () => "/w",
    directoryExists: () => true,
    fileExists: (name) => files.has(name) || host.fileExists(name),
    readFile: (name) => files.get(name) ?? host.readFile(name),
    getSourceFile: (name, how) => {
      const text = files.get(name);
      if (text !== undefined) return ts.createSourceFile(name, text, how);
      if (!read.has(name)) read.set(name, host.getSourceFile(name, how));
      return read.get(name);
    },
  };
  const built = ts.createProgram([...files.keys()], options, made);
  return ts.getPreEmitDiagnostics(built).map(({ file, start = 0, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
    const where = file?.fileName === "/w/program.ts" ? "" : `${file?.fileName.replace("/w/", "") ?? ""} `;
    return `${where}${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}

/** Returns the declarations of policies and schemas. */
export function typesOf(policies: readonly string[], schemas: { readonly [path: string]: unknown } = {}): string {
  const { compiled, diagnostics } = compile(
    policies.map((text, index) => ({ path: `${index}.yaml`, text })),
    { digest },
  );
  if (compiled === undefined) throw new Error(`the policies do not compile: ${diagnostics.map(({ message }) => message).join("; ")}`);
  const files = new Map(Object.entries(schemas).map(([path, schema]) => [path, JSON.stringify(schema)]));
  return declarationsOf(vocabularyOf(compiled.policySet), files);
}
