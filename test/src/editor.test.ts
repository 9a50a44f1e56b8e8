/** The schemas for editors, held to the readers: what a reader takes they take, and what is wrong in form they refuse. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Diagnostic } from "../../compiler/diagnostic.ts";
import type { Code } from "../../compiler/messages.ts";
import { policyShape, readPolicy } from "../../compiler/policy/read.ts";
import { parseYaml } from "../../compiler/yaml/parse.ts";
import { rootPath } from "../../compiler/yaml/path.ts";
import type { Shape } from "../../compiler/yaml/shape.ts";
import { editorSchemas } from "../../src/editor/index.ts";
import { policySentences } from "../../src/editor/policy-sentences.ts";
import { lookUp, type Sentences } from "../../src/editor/sentences.ts";
import { suiteSentences } from "../../src/editor/suite-sentences.ts";
import { fixturesShape, suiteShape } from "../../src/testing/suite-shape.ts";

// An editor's validator knows keywords that the draft does not.
const ajv = new Ajv({ strict: false, allErrors: true });
const validators = {
  policy: ajv.compile(editorSchemas.policy()),
  suite: ajv.compile(editorSchemas.suite()),
  fixtures: ajv.compile(editorSchemas.fixtures()),
};

/** Says what a schema finds wrong with a text; an editor reads it as YAML 1.2 with merge keys. */
function faults(what: keyof typeof validators, text: string): readonly string[] {
  const validate = validators[what];
  const isSound = validate(parse(text, { merge: true, logLevel: "silent" }));
  return isSound ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:ya?ml|json)$/.test(path))
    .map((path) => join(folder, path));

function diagnose(path: string): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  readPolicy({ path, text: readFileSync(path, "utf8") }, (diagnostic) => void found.push(diagnostic));
  return found;
}

/** What is wrong in form, and can be seen without a compiler. */
const seen: ReadonlySet<Code> = new Set([
  "conflicting-fields",
  "duplicate-field",
  "duplicate-item",
  "invalid-value",
  "missing-choice",
  "missing-value",
  "unknown-field",
  "unknown-value",
  "wrong-type",
] as const);

const isPolicyOf = (path: string): boolean => /\/policies\//.test(path) && !/\/_schemas\//.test(path);
const policies = filesBelow("golden").filter(isPolicyOf);
const isYaml = (path: string): boolean =>
  !diagnose(path).some(({ code }) => code.startsWith("yaml-") || code === "invalid-document" || code === "multiple-documents");

test("there are policies to validate", () => {
  expect(policies.length).toBeGreaterThan(60);
});

test("every golden policy that the reader takes validates", () => {
  const wrong = policies
    .filter((path) => isYaml(path) && !diagnose(path).some(({ code }) => seen.has(code)))
    .flatMap((path) => faults("policy", readFileSync(path, "utf8")).map((fault) => `${path}: ${fault}`));
  expect(wrong).toEqual([]);
});

describe("a mistake of form is seen", () => {
  test.each([...seen])("%s", (code) => {
    const [file, ...others] = filesBelow(join("golden/diagnose", code)).filter((path) => diagnose(path).some((each) => each.code === code));
    expect([file, ...others].filter((path) => path !== undefined && faults("policy", readFileSync(path, "utf8")).length === 0)).toEqual([]);
    expect(file).toBeDefined();
  });
});

describe("policies, one field at a time", () => {
  const rule = "{ actions: [a], roles: [r], effect: EFFECT_ALLOW }";
  const policy = (body: string): string => `apiVersion: api.authz.dev/v1\n${body}\n`;
  test.each([
    // text                                                                                                    is it sound?
    [policy(`resourcePolicy: { resource: k, version: default, rules: [${rule}] }`), true],
    [policy(`resource_policy: { resource: k, version: 20210210, import_derived_roles: [x], rules: [${rule}] }`), true],
    ["apiVersion: api.cerbos.dev/v1\nresourcePolicy: { resource: k, version: v1 }", true],
    [
      policy(
        "principalPolicy: { principal: p, version: v1, scope: null, rules: [{ resource: '*', actions: [{ action: '*', effect: 2 }] }] }",
      ),
      true,
    ],
    [policy("rolePolicy: { role: r, parentRoles: [a], rules: [{ resource: k, allowActions: [a] }] }"), true],
    [
      policy(
        "derivedRoles: { name: d, definitions: [{ name: x, parentRoles: [r], condition: { match: { all: { of: [{ expr: 'true' }, { none: { of: [{ expr: x }] } }] } } } }] }",
      ),
      true,
    ],
    [policy("exportVariables: { name: v, definitions: { a: 1, b: x } }"), true],
    [policy("exportConstants: { name: v, definitions: { a: [1, null, {}] } }"), true],
    [policy("exportConstants: { name: v }\nresourcePolicy: { resource: k, version: v1 }"), false],
    [policy("resourcePolicy: { resource: k, version: default, importDerivedRoles: [x], import_derived_roles: [x] }"), false],
    [policy("resourcePolicy: { resource: 'k*', version: default }"), false],
    [policy("resourcePolicy: { resource: k, version: 1.5 }"), false],
    [policy("resourcePolicy: { resource: k, version: v1, rules: [{ actions: [], roles: [r], effect: EFFECT_ALLOW }] }"), false],
    [policy("resourcePolicy: { resource: k, version: v1, rules: [{ actions: [a], roles: [r], effect: ALLOW }] }"), false],
    [policy("resourcePolicy: { resource: k, version: v1, rules: [{ actions: [a], roles: [r], effect: 0 }] }"), false],
    [
      policy(
        "derivedRoles: { name: d, definitions: [{ name: x, parentRoles: [r], condition: { match: { all: { of: [{ exp: 'true' }] } } } }] }",
      ),
      false,
    ],
    ["apiVersion: api.authz.dev/v2\nresourcePolicy: { resource: k, version: v1 }", false],
    ["description: none of the six", false],
  ])("%s", (text, isSound) => {
    expect(faults("policy", text).length === 0).toBe(isSound);
    // The reader says the same.
    const found: Diagnostic[] = [];
    readPolicy({ path: "p.yaml", text }, (diagnostic) => void found.push(diagnostic));
    expect(found.some(({ code }) => seen.has(code))).toBe(!isSound);
  });
});

describe("test suites and fixtures", () => {
  const suite = (rest: string): string => `name: s
tests:
  - name: t
    input: { principals: [ann], resources: [doc], actions: [view] }
    expected: [{ principal: ann, resource: doc, actions: { view: EFFECT_ALLOW } }]
${rest}`;
  test.each([
    ["suite", suite(""), true],
    ["suite", suite("options: { now: 2024-01-16T10:18:27.395+13:00, globals: { a: 1 }, strict_evaluation: true }"), true],
    ["suite", suite("principal_groups: { g: { principals: [ann] } }\nauxData: { x: { jwts: { a: { claims: { n: 1 } } } } }"), true],
    ["suite", suite("options: { now: yesterday }"), false],
    ["suite", suite("tets: []"), false],
    ["suite", "name: s\ntests: []", false],
    ["suite", "tests: []", false],
    ["suite", suite("").replace("EFFECT_ALLOW", "ALLOW"), false],
    ["suite", suite("").replace("EFFECT_ALLOW", "null"), false],
    ["suite", suite("").replace("EFFECT_ALLOW", "0"), false],
    ["suite", suite("options: { now: 2024-01-16T10:18:27+99:99 }"), false],
    ["suite", suite("").replace("actions: [view]", "actions: [view, view]"), false],
    ["fixtures", "principals: { ann: { id: ann, roles: [user], attr: { n: 1 }, policy_version: v1 } }", true],
    ["fixtures", "resources: { doc: { kind: document, id: d1 } }\nresourceGroups: { g: { resources: [doc] } }", true],
    ["fixtures", "aux_data: { x: { jwt: { aud: [web] } } }", true],
    ["fixtures", "principals: { ann: { id: ann, role: [user] } }", false],
    ["fixtures", "principals: [ann]", false],
  ] as const)("%s: %s", (what, text, isSound) => {
    expect(faults(what, text).length === 0).toBe(isSound);
    // The shape says the same.
    let mistakes = 0;
    const shape: Shape<unknown> = what === "suite" ? suiteShape : fixturesShape;
    for (const node of parseYaml({ path: "x.yaml", text }, () => mistakes++))
      shape.read({ node, path: rootPath, at: node.token }, { parseError: () => mistakes++, violation: () => mistakes++ });
    expect(mistakes === 0).toBe(isSound);
  });
});

describe("every field has a sentence, and every sentence a field", () => {
  test.each([
    ["policies", [policyShape], policySentences],
    ["suites and fixtures", [suiteShape, fixturesShape], suiteSentences],
  ] as const)("%s", (_, shapes: readonly Shape<unknown>[], sentences: Sentences) => {
    const used = new Set<string | undefined>();
    const asked: string[] = [];
    const describe = lookUp(sentences);
    const visited = new Set<string>();
    const walk = (shape: Shape<unknown>, path: string): void => {
      const { form } = shape;
      if (form.kind === "record")
        for (const [name, field] of Object.entries(form.fields)) {
          const here = path === "" ? name : `${path}.${name}`;
          asked.push(here);
          used.add(describe(here));
          walk(field, here);
        }
      if (form.kind === "list") walk(form.item, `${path}[]`);
      if (form.kind === "map") walk(form.value, `${path}.*`);
      if (form.kind === "within" && !visited.has(form.name)) {
        visited.add(form.name);
        walk(form.shape(), form.name);
      }
    };
    for (const shape of shapes) walk(shape, "");
    expect(asked.filter((path) => describe(path) === undefined)).toEqual([]);
    expect(Object.values(sentences).filter((sentence) => !used.has(sentence))).toEqual([]);
  });
});
