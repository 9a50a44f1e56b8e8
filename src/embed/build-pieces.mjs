/**
 * Writes `dist/pieces`: the runtime as one file per source file, with CEL functions split into single declarations without their
 * examples, so that a built module contains only what it uses.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { transformSync } from "esbuild";
import ts from "typescript";

const from = "runtime";
const to = resolve(process.argv[2] ?? "dist/pieces");
const left = /^(?:sandbox|wire)\/|(?:^|\/)README\.md$|^(?:load|index)\.ts$|^cel\/reference\//;
const functions = /^cel\/functions\/(?!index\.ts$)/;

rmSync(to, { recursive: true, force: true });
const families = [];
const runtimePaths = readdirSync(from, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
for (const path of runtimePaths.filter((path) => path.endsWith(".ts") && !left.test(path)).toSorted()) {
  const text = readFileSync(join(from, path), "utf8");
  const { code, arrays } = functions.test(path) ? takeApart(path, text) : { code: text, arrays: [] };
  const { code: script } = transformSync(code, { loader: "ts", format: "esm", target: "es2022", sourcefile: path });
  const file = join(to, path.replace(/\.ts$/, ".js"));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, script.replaceAll(/((?:from|import) "\.[^"]*)\.ts"/g, '$1.js"'));
  families.push(...arrays.map((array) => ({ file: path.replace(/\.ts$/, ".js"), ...array })));
}
// The modules that schema validators call are placed beside the runtime.
for (const name of [
  "content",
  "cost",
  "enforce-built",
  "equality",
  "finding",
  "formats",
  "items",
  "validate-attributes",
  "validator-functions",
]) {
  const file = join(to, "schemas", `${name}.js`);
  const text = readFileSync(join("src/schemas", `${name}.ts`), "utf8");
  const { code } = transformSync(text, { loader: "ts", format: "esm", target: "es2022", sourcefile: `schemas/${name}.ts` });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, code.replaceAll('"../../runtime/', '"../').replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"'));
}
// No file of the runtime has side effects on import, so the linker may drop whatever is not referenced.
writeFileSync(join(to, "package.json"), '{ "type": "module", "sideEffects": false }\n');

// The list of functions must have the order of the dispatch list. Which piece contains which function is found by importing the pieces.
writeFileSync(join(to, "cel/functions/index.js"), wholeList(families));
const pieceOf = new Map();
for (const { file, parts } of families) {
  const module = await import(pathToFileURL(join(to, file)).href);
  for (const part of parts) for (const { id } of [module[part]].flat()) pieceOf.set(id, { file, part });
}
const { functionRows } = await import(pathToFileURL(join(to, "cel/functions/index.js")).href);
const rows = functionRows.map(({ id, name, receiver, parameters }) => {
  const piece = pieceOf.get(id);
  if (piece === undefined) throw new Error(`no piece holds the function ${id}`);
  return { id, name, receiver, arity: parameters.length, ...piece };
});
writeFileSync(join(to, "functions.json"), `${JSON.stringify(rows)}\n`);

/** Returns the families in the order of the list in `runtime/cel/functions/index.ts`. */
function wholeList(found) {
  const index = readFileSync(join(from, "cel/functions/index.ts"), "utf8");
  const order = [...index.matchAll(/^ {2}\.\.\.(\w+),$/gm)].map(([, name]) => name);
  const lists = order.map((name) => found.find(({ exported }) => exported === name) ?? fail(`no family is called ${name}`));
  const imports = lists.map(({ file, exported }) => `import { ${exported} } from "./${file.slice("cel/functions/".length)}";`);
  return `${imports.join("\n")}\nexport const functionRows = [${order.map((name) => `...${name}`).join(", ")}];\n`;
}

function fail(message) {
  throw new Error(message);
}

/** Splits a family's lists into one declaration per row, without examples. */
function takeApart(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const edits = [];
  const lists = new Map();
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, type, initializer } of statement.declarationList.declarations) {
      if (initializer === undefined || type?.getText(source) !== "readonly FunctionRow[]") continue;
      const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
      lists.set(name.getText(source), { statement, initializer, isExported });
    }
  }
  const withoutExamples = (node) => {
    const inner = [];
    const walk = (part) => {
      if (isExamples(part)) inner.push([part.getStart(source), part.getEnd(), "[]"]);
      else ts.forEachChild(part, walk);
    };
    walk(node);
    return edit(node.getText(source), inner, node.getStart(source));
  };
  const partsOf = new Map();
  for (const [name, { statement, initializer, isExported }] of lists) {
    const parts = [];
    const items = [];
    const declared = [];
    const declare = (code) => {
      const part = `${name}_${declared.length}`;
      // Wrapped in a pure call, so that calls among its arguments do not keep it in the module either.
      declared.push(`export const ${part} = /* @__PURE__ */ (() => ${code})();`);
      parts.push(part);
      return part;
    };
    if (ts.isArrayLiteralExpression(initializer)) {
      for (const element of initializer.elements) {
        const inner = ts.isSpreadElement(element) ? element.expression : element;
        const known = ts.isIdentifier(inner) ? partsOf.get(inner.text) : undefined;
        if (known !== undefined) {
          parts.push(...known);
          items.push(`...${inner.text}`);
        } else items.push(`${ts.isSpreadElement(element) ? "..." : ""}${declare(withoutExamples(inner))}`);
      }
    } else items.push(`...${declare(withoutExamples(initializer))}`);
    partsOf.set(name, parts);
    const whole = `${isExported ? "export " : ""}const ${name} = [${items.join(", ")}];`;
    edits.push([statement.getStart(source), statement.getEnd(), [...declared, whole].join("\n")]);
  }
  for (const statement of source.statements) {
    if (![...lists.values()].some((list) => list.statement === statement))
      edits.push([statement.getStart(source), statement.getEnd(), withoutExamples(statement)]);
  }
  const exported = [...lists].filter(([, { isExported }]) => isExported).map(([name]) => ({ exported: name, parts: partsOf.get(name) }));
  return { code: edit(text, edits, 0), arrays: exported };
}

/** Returns whether a node is a list of examples: pairs of strings, an expression and its result. */
function isExamples(node) {
  return (
    ts.isArrayLiteralExpression(node) &&
    node.elements.length > 0 &&
    node.elements.every(
      (pair) => ts.isArrayLiteralExpression(pair) && pair.elements.length === 2 && pair.elements.every((half) => isText(half)),
    )
  );
}

function isText(node) {
  return ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);
}

function edit(text, edits, offset) {
  let made = "";
  let at = 0;
  for (const [start, end, instead] of edits.toSorted(([one], [other]) => one - other)) {
    made += text.slice(at, start - offset) + instead;
    at = end - offset;
  }
  return made + text.slice(at);
}
