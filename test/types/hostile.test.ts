/** Whatever authors call things, declarations say those names and nothing else: no text ends a string, a template or a comment. */
import * as fc from "fast-check";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { declarationsOf } from "../../src/types/declarations.ts";
import type { Kind, Vocabulary } from "../../src/types/vocabulary.ts";
import { commentText, stringLiteral, templateLiteral } from "../../src/types/escape.ts";
import { errorsOf } from "./compiler.ts";

const pieces = ['"', "'", "`", "\\", "${", "}", "*/", "/*", "//", "\n", "\r", "\u2028", "\u2029", "\u202e", "\ud800", "\0", "__proto__", "constructor", "any", ";", "@ts-ignore", "@ts-nocheck", "é", "日", "🙂", " ", "a", "1", "$", "<", "-->"] as const; // prettier-ignore
const hostile = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));

const kind = (name: string, actions: readonly string[]): Kind => ({
  name,
  actions: { kind: "union", of: actions.map((value) => ({ kind: "literal", value })) },
  unvalidated: { kind: "keyword", keyword: "never" },
  resourceSchemas: [{ ref: "authz:///hostile.json", ignoreWhen: [] }],
  principalSchemas: [undefined],
});
const vocabulary = (name: string): Vocabulary => ({
  kinds: [kind(name, [name, `${name}2`])],
  roles: [
    { kind: "literal", value: name },
    { kind: "template", texts: [name, name] },
  ],
  derivedRoles: [name],
  scopes: [name],
  policyVersions: [name],
});

describe("a name of any kind", () => {
  test("is read back by the compiler as it was written", () => {
    fc.assert(
      fc.property(hostile, (name) => {
        const file = ts.createSourceFile(
          "a.ts",
          `type A = ${stringLiteral(name)}; type B = ${templateLiteral([name, name])};`,
          ts.ScriptTarget.ES2022,
        );
        expect(file.statements).toHaveLength(2);
        const texts: string[] = [];
        const visit = (node: ts.Node): void => {
          if (ts.isStringLiteral(node) || ts.isTemplateHead(node) || ts.isTemplateTail(node)) texts.push(node.text);
          ts.forEachChild(node, visit);
        };
        visit(file);
        expect(texts).toEqual([name, name, name]);
      }),
    );
  });

  test("does not leave its comment", () => {
    fc.assert(
      fc.property(hostile, (words) => {
        const file = ts.createSourceFile("a.ts", `/** ${commentText(words)} */\ntype A = 1;`, ts.ScriptTarget.ES2022);
        expect(file.statements.map((statement) => statement.getText(file))).toEqual(["type A = 1;"]);
        expect(commentText(words)).not.toMatch(/[\n\r\u2028\u2029]|(?<!\\)@/);
      }),
    );
  });

  test("gives declarations in which the compiler finds no error, and the same statements as any other", () => {
    const schema = (name: string): string => {
      // What a URL can say.
      const definition = `d${name.replaceAll(/[\ud800-\udfff~/]/g, "")}`;
      return JSON.stringify({
        title: name,
        properties: { [`x${name}`]: { enum: [name], description: name }, r: { $ref: `#/$defs/${encodeURIComponent(definition)}` } },
        $defs: { [definition]: { type: "string", title: name } },
      });
    };
    const statements = (text: string): readonly ts.SyntaxKind[] =>
      ts.createSourceFile("policies.d.ts", text, ts.ScriptTarget.ES2022).statements.map((statement) => statement.kind);
    const plain = statements(declarationsOf(vocabulary("plain"), new Map([["hostile.json", schema("plain")]])));
    fc.assert(
      fc.property(hostile, (name) => {
        const text = declarationsOf(vocabulary(name), new Map([["hostile.json", schema(name)]]));
        expect(statements(text)).toEqual(plain);
        const program = `import type { Action, Kind, Role } from "./policies.js";\nexport const kind: Kind = ${stringLiteral(name)}; export const action: Action = ${stringLiteral(`${name}2`)};\nexport const role: Role = ${stringLiteral(name)};\n`;
        expect(errorsOf(text, program)).toEqual([]);
      }),
      { numRuns: 12, examples: [["/*\\"], ["\\"], ["${\\"]] },
    );
  });
});
