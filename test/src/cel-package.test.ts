/** The package as others install it: `authz/cel` runs in plain Node, in a realm that has nothing, and satisfies a strict TypeScript consumer. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createContext, runInContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "authz-package-"));
afterAll(() => rmSync(folder, { recursive: true }));

const bin = (name: string): string => resolve("node_modules/.bin", name);
const run = (command: string, argv: readonly string[], directory = "."): string => {
  try {
    return execFileSync(command, argv, { cwd: directory, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  } catch (trouble) {
    // What the command printed says more than that it failed.
    throw new Error(`${command} ${argv.join(" ")}\n${trouble instanceof Error && "stdout" in trouble ? String(trouble.stdout) : ""}`, {
      cause: trouble,
    });
  }
};

beforeAll(() => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly scripts: { readonly prepack: string } };
  const [build, declarations = "", ...more] = scripts.prepack.split(" && ");
  // The first half has been done before all tests; others are using what it made.
  expect([build, more]).toEqual(["npm run -s build", ["tsc -p src/embed/tsconfig.json"]]);
  const [command = "", ...argv] = declarations.split(" ");
  run(bin(command), argv);
  const [packed] = JSON.parse(run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder])) as readonly {
    readonly filename: string;
  }[];
  mkdirSync(join(folder, "node_modules"));
  run("tar", ["-xzf", packed?.filename ?? "", "-C", "node_modules"], folder);
  renameSync(join(folder, "node_modules/package"), join(folder, "node_modules/authz"));
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
}, 120_000);

test("plain Node imports it, with nothing else installed", () => {
  writeFileSync(
    join(folder, "consumer.js"),
    `import { compile, check, CompilationError, timestamp } from "authz/cel";
     const mayRead = compile("doc.owner == user.id || user.roles.exists(r, r == 'auditor')", { variables: { user: "json", doc: "json" } });
     const ask = (roles) => mayRead.test({ user: { id: "ann", roles }, doc: { owner: "bob" } });
     let refused;
     try { compile("1 + 'a'"); } catch (trouble) { refused = trouble instanceof CompilationError && trouble.issues.length; }
     const late = compile("at > timestamp('2024-01-01T00:00:00Z')", { variables: { at: "timestamp" } });
     console.log(JSON.stringify([ask(["auditor"]), ask([]), refused, check("size([1])").type, late.test({ at: timestamp("2025-01-01T00:00:00Z") })]));`,
  );
  expect(JSON.parse(run(process.execPath, ["consumer.js"], folder))).toEqual([true, false, 1, "int", true]);
});

test("a strict TypeScript consumer type-checks, and its mistakes are found", () => {
  writeFileSync(
    join(folder, "consumer.ts"),
    `import { CompilationError, type Explanation, type Program, Uint, type Value, check, compile, duration, forms, toJson, uint } from "authz/cel";
     const program: Program = compile("a + 1", { variables: { a: "int" }, container: "x", forms: ["loop in place"], generate: true });
     const holds: boolean = program.test({ a: 1n }, { now: new Date() });
     const value: Value | undefined = program.evaluate({ a: 1 });
     const explanation: Explanation = program.explain();
     export const told: string = explanation.kind === "error" ? \`\${explanation.error}: \${explanation.expression} at \${explanation.start}\` : String(explanation.value);
     export const problems: number = check("1 +").issues.map(({ line, column, hint }) => [line, column, hint]).length;
     export const caught = (trouble: unknown): string => (trouble instanceof CompilationError ? trouble.issues[0]?.message ?? "" : "");
     export const rest = [holds, value instanceof Uint, duration("1h").seconds, uint(5).value, toJson, Object.keys(forms)];
     // @ts-expect-error a program is read-only
     program.text = "b";
     // @ts-expect-error there is no such form
     compile("1", { forms: ["slow"] });
     // @ts-expect-error variables are declared by text
     compile("a", { variables: { a: Number } });
     // @ts-expect-error an evaluation may fail
     export const certain: Value = program.evaluate();`,
  );
  run(bin("tsc"), ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022", "consumer.ts"], folder);
});

const bundle = (): string =>
  run(bin("esbuild"), [
    join(folder, "node_modules/authz/dist/cel.js"),
    "--bundle",
    "--format=iife",
    "--global-name=cel",
    "--log-level=error",
  ]);

test("it is one file that imports nothing, and starts where there is nothing but ECMAScript", () => {
  const imports = readFileSync(join(folder, "node_modules/authz/dist/cel.js"), "utf8").match(/^import\b.*|\brequire\(.*|["']node:.*/gm);
  expect(imports).toBeNull();
  const realm = createContext({});
  expect(
    runInContext(`${bundle()}; String(cel.compile("[1, 2].map(x, x * 2)[1] + n", { variables: { n: "int" } }).evaluate({ n: 1 }))`, realm),
  ).toBe("5");
});

test("where no text may become program it interprets, checks and explains", () => {
  const realm = createContext({}, { codeGeneration: { strings: false, wasm: false } });
  runInContext(bundle(), realm);
  expect(() => runInContext(`cel.compile("1 + 1")`, realm)).toThrow(/Code generation from strings disallowed/);
  const answers = runInContext(
    `const program = cel.compile("n > 1", { variables: { n: "double" }, generate: false });
     JSON.stringify([program.test({ n: 2 }), program.evaluate({ n: 0 }), program.explain({}).error, cel.check("1 + 1").type])`,
    realm,
  );
  expect(JSON.parse(answers)).toEqual([true, false, "no such attribute", "int"]);
});
