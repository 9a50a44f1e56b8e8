/** The text of a policy as administrators change it: enabled and disabled in place, returned as a message and put again. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import { isPolicyPath } from "../../compiler/policy/paths.ts";
import { policyMessage } from "../../compiler/policy/message.ts";
import type { Source } from "../../compiler/source.ts";
import { printTable } from "../../compiler/table/print.ts";
import type { Json } from "../../runtime/wire/json.ts";
import { withDisabled } from "../../src/admin/changes/disabled-text.ts";
import { policyText, printJson, withNeutralNames } from "../../src/admin/changes/policy-text.ts";
import { withoutStoreMetadata } from "../../src/admin/changes/store-metadata.ts";
import { digest } from "../../src/texts/digest.ts";

const body = "resourcePolicy:\n  resource: a # the resource\n  version: default\n";
const compact = '{"apiVersion":"api.authz.dev/v1","resourcePolicy":{"resource":"a","version":"default"}}';

describe("a policy is disabled in its own text, and enabled again", () => {
  test.each<readonly [sentence: string, text: string, disabled: string]>([
    [
      "below its version, its comments stay",
      `# top\napiVersion: api.authz.dev/v1 # api\n\n# middle\n${body}# end\n`,
      `# top\napiVersion: api.authz.dev/v1 # api\ndisabled: true\n\n# middle\n${body}# end\n`,
    ],
    [
      "with the line ends that it has",
      `---\r\napiVersion: "api.cerbos.dev/v1"\r\n${body.replaceAll("\n", "\r\n")}`,
      `---\r\napiVersion: "api.cerbos.dev/v1"\r\ndisabled: true\r\n${body.replaceAll("\n", "\r\n")}`,
    ],
    ["on its last line, which has no end", `${body}apiVersion: api.authz.dev/v1`, `${body}apiVersion: api.authz.dev/v1\ndisabled: true`],
    [
      "indented as the rest",
      `  apiVersion: &v api.authz.dev/v1\n  description: *v\n  resourcePolicy: {resource: a, version: default}\n`,
      `  apiVersion: &v api.authz.dev/v1\n  disabled: true\n  description: *v\n  resourcePolicy: {resource: a, version: default}\n`,
    ],
    [
      "where it said otherwise, with the comment beside it",
      `apiVersion: api.authz.dev/v1\ndisabled: false # for now\n${body}`,
      `apiVersion: api.authz.dev/v1\ndisabled: true # for now\n${body}`,
    ],
    [
      "before a version that is a block",
      `apiVersion: >-\n  api.authz.dev/v1\n${body}`,
      `disabled: true\napiVersion: >-\n  api.authz.dev/v1\n${body}`,
    ],
    [
      "beside keys that are written in full",
      `? apiVersion\n: api.authz.dev/v1\n${body}`,
      `? apiVersion\n: api.authz.dev/v1\ndisabled: true\n${body}`,
    ],
    ["beside a merge", `<<: {apiVersion: api.authz.dev/v1}\n${body}`, `<<: {apiVersion: api.authz.dev/v1}\ndisabled: true\n${body}`],
    ["as JSON on one line", compact, compact.replace('v1"', 'v1", "disabled": true')],
    [
      "as indented JSON",
      JSON.stringify(JSON.parse(compact), undefined, 2),
      JSON.stringify(JSON.parse(compact), undefined, 2).replace('v1",', 'v1",\n  "disabled": true,'),
    ],
    [
      "as JSON that ends with its version",
      '{"resourcePolicy":{"resource":"a","version":"default"}, "apiVersion":"api.authz.dev/v1"}',
      '{"resourcePolicy":{"resource":"a","version":"default"}, "apiVersion":"api.authz.dev/v1", "disabled": true}',
    ],
    [
      "in braces",
      `{apiVersion: api.authz.dev/v1, resourcePolicy: {resource: a, version: default}}`,
      `{apiVersion: api.authz.dev/v1, disabled: true, resourcePolicy: {resource: a, version: default}}`,
    ],
  ])("%s", (_sentence, text, disabled) => {
    const path = text.includes('"resource"') ? "a.json" : "a.yaml";
    expect(withDisabled({ path, text }, true)).toBe(disabled);
    expect(withDisabled({ path, text: disabled }, false)).toBe(text);
    expect(withDisabled({ path, text: disabled }, true)).toBe(disabled);
    expect(withDisabled({ path, text }, false)).toBe(text);
  });

  test.each<readonly [sentence: string, text: string, enabled: string]>([
    [
      "in the middle of a line",
      `{disabled: true, apiVersion: api.authz.dev/v1, resourcePolicy: {resource: a, version: default}}`,
      `{apiVersion: api.authz.dev/v1, resourcePolicy: {resource: a, version: default}}`,
    ],
    [
      "with a comment, which stays",
      `disabled: true # until May\napiVersion: api.authz.dev/v1\n${body}`,
      `disabled: false # until May\napiVersion: api.authz.dev/v1\n${body}`,
    ],
    ["in another spelling", `apiVersion: api.authz.dev/v1\n"disabled": True\n${body}`, `apiVersion: api.authz.dev/v1\n${body}`],
    [
      "by an alias",
      `apiVersion: api.authz.dev/v1\nmetadata: {annotations: {a: &x "1"}}\ndisabled: true\n${body}`,
      `apiVersion: api.authz.dev/v1\nmetadata: {annotations: {a: &x "1"}}\n${body}`,
    ],
  ])("%s", (_sentence, text, enabled) => {
    expect(withDisabled({ path: "a.yaml", text }, false)).toBe(enabled);
  });

  test.each([
    "",
    "- a\n",
    "apiVersion: api.authz.dev/v1\nresourcePolicy: 5\n",
    `${body}---\n${body}`,
    "{",
    "apiVersion: api.authz.dev/v1\nfoo: 1\n",
  ])("%j cannot be", (text) => {
    expect(withDisabled({ path: "a.yaml", text }, true)).toBeUndefined();
  });
});

/** Every folder of policies that there is in golden/. */
const golden = join(import.meta.dirname, "../../golden");
const folders = readdirSync(golden, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name === "policies")
  .map((entry) => join(entry.parentPath, entry.name));
const sourcesOf = (folder: string): readonly Source[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter(isPolicyPath)
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
const printed = (sources: readonly Source[]): string | undefined => {
  const { compiled } = compile(sources, { digest });
  // Places and file names are of the text, not of what it says.
  return compiled && printTable(compiled.table).replaceAll(/\S+\.(?:ya?ml|json)(?::\d+)*/g, "");
};

test("a word that stands for none in its own field is a text like any other elsewhere", () => {
  const [effect, consent] = ["EFFECT_UNSPECIFIED", "SCOPE_PERMISSIONS_UNSPECIFIED"];
  const rules = [{ name: consent, actions: [effect], effect: "EFFECT_ALLOW", roles: ["user"] }];
  const written = { apiVersion: "api.authz.dev/v1", description: effect, resourcePolicy: { resource: effect, version: "default", rules } };
  const policy = { ...written, resourcePolicy: { ...written.resourcePolicy, scopePermissions: consent } };
  expect(policyMessage({ path: "a.json", text: JSON.stringify(policy) })).toEqual(written);
});

describe("what is returned can be put again, and is the same", () => {
  test("there is enough to look at", () => {
    expect(folders.length).toBeGreaterThan(150);
  });

  test.each(folders.map((folder) => [folder.slice(golden.length + 1), folder] as const))("%s", (_name, folder) => {
    const sources = sourcesOf(folder);
    const again = sources.map((source): Source => {
      const message = policyMessage(source);
      if (message === undefined) return source;
      const sent: Json = JSON.parse(printJson(withNeutralNames(message)));
      const text = policyText(withoutStoreMetadata(sent), source.path);
      expect(policyMessage({ path: source.path, text })).toEqual(withoutStoreMetadata(withNeutralNames(message)));
      for (const isDisabled of [true, false]) {
        const edited = withDisabled(source, isDisabled);
        const { disabled: _, ...others } = message;
        expect(edited === undefined ? undefined : policyMessage({ path: source.path, text: edited })).toEqual(
          isDisabled ? { ...others, disabled: true } : others,
        );
      }
      return { path: source.path, text };
    });
    expect(printed(again)).toEqual(printed(sources));
  });
});

test("a version of the language that is none of ours keeps its name, to be refused", () => {
  const policy = { apiVersion: "api.example.com/v1", resourcePolicy: { resource: "a", version: "default" } };
  expect(withNeutralNames(policy)).toEqual(policy);
});

test.each([0, -0, 1e21, 2 ** 64, -(2 ** 63), 5e-324])("the constant %d is stored as the number that it is", (number) => {
  const policy = { apiVersion: "api.authz.dev/v1", exportConstants: { name: "a", definitions: { x: number } } };
  for (const path of ["a.yaml", "a.json"]) expect(policyMessage({ path, text: policyText(policy, path) })).toEqual(policy);
  expect(JSON.parse(printJson(policy))).toEqual(policy);
});

test("a word that says nothing where it is an effect is text elsewhere", () => {
  const text =
    "apiVersion: api.authz.dev/v1\ndescription: EFFECT_UNSPECIFIED\nresourcePolicy:\n  resource: a\n  version: EFFECT_UNSPECIFIED\n  scopePermissions: SCOPE_PERMISSIONS_UNSPECIFIED\n";
  expect(policyMessage({ path: "a.yaml", text })).toEqual({
    apiVersion: "api.authz.dev/v1",
    description: "EFFECT_UNSPECIFIED",
    resourcePolicy: { resource: "a", version: "EFFECT_UNSPECIFIED" },
  });
});

describe("what a store says of a policy is not stored with it", () => {
  const policy = { apiVersion: "api.authz.dev/v1", resourcePolicy: { resource: "a", version: "default" } };
  const origin = { sourceFile: "a.yaml", hash: "1", storeIdentifer: "a", storeIdentifier: "a" };
  test.each<readonly [sentence: string, metadata: Json, stored: Json | undefined]>([
    [
      "nothing else was said",
      { ...origin, sourceAttributes: { attributes: { driver: "disk", source: "a.yaml", update_ts: "x", commit_hash: "y" } } },
      undefined,
    ],
    ["annotations are its author's", { ...origin, annotations: { team: "a" } }, { annotations: { team: "a" } }],
    [
      "other attributes too",
      { source_file: "x", source_attributes: { attributes: { driver: "disk", ticket: 7 } } },
      { source_attributes: { attributes: { ticket: 7 } } },
    ],
    ["what is no metadata is left to whoever reads it", { foo: 1 }, { foo: 1 }],
    ["nor a text", "x", "x"],
  ])("%s", (_sentence, metadata, stored) => {
    expect(withoutStoreMetadata({ ...policy, metadata })).toEqual(stored === undefined ? policy : { ...policy, metadata: stored });
  });
});
