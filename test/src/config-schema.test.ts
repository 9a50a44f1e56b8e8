/** The schema of configuration files, held to the reader: what the reader takes it takes, and what is wrong in form it refuses. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { unsupportedKeys } from "../../src/config/unsupported-keys.ts";
import { loadConfig } from "../../src/config/load.ts";
import { printConfig } from "../../src/config/print.ts";
import { settingsByKey } from "../../src/config/settings.ts";
import { starter } from "../../src/cli/starter.ts";
import { editorSchemas } from "../../src/editor/index.ts";
import { temporaryFolder } from "../server/harness.ts";

const folder = temporaryFolder({});
afterAll(() => rmSync(folder, { recursive: true }));

// An editor's validator knows keywords that the draft does not.
const ajv = new Ajv({ strict: false, allErrors: true, allowUnionTypes: true });
const validate = ajv.compile(editorSchemas.config());

/** Is a file accepted by the schema, and by the reader? */
function verdicts(text: string): readonly [schema: boolean, reader: boolean] {
  const file = join(folder, "c.yaml");
  writeFileSync(file, text);
  const { config } = loadConfig(file, [], { N: "x" });
  return [validate(parse(text, { merge: true, logLevel: "silent" })), config !== undefined];
}

describe("a file that is right", () => {
  test.each([
    ["nothing", ""],
    ["a section that is empty", "server:\n"],
    ["a key alone", "server:\n  httpListenAddr:\n"],
    ["addresses", "server: {httpListenAddr: ':80', grpcListenAddr: 'unix:/a b'}"],
    ["an address of IPv6", "server: {httpListenAddr: '[::1]:80'}"],
    ["permissions", "server: {udsFileMode: '0o660'}"],
    ["durations", "server: {shutdownTimeout: 1h30m, advanced: {http: {readTimeout: 0, idleTimeout: 1.5s}}}"],
    ["levels", "server: {logLevel: WARN}"],
    ["a level below debug", "server: {logLevel: V2}"],
    ["a list", "server: {cors: {allowedOrigins: [a, b]}}"],
    ["one item alone", "schema: {allowRefs: file}"],
    ["a version that is a number", "engine: {defaultPolicyVersion: 20210210}"],
    ["globals", "engine: {globals: {a: 1, b: [x], for: {c: null}}}"],
    ["a variable in the place of a duration", "server: {shutdownTimeout: '${M:10s}'}"],
    [
      "key sets",
      "auxData: {jwt: {keySets: [{id: a, local: {data: e30K}}, {id: b, remote: {url: 'https://x'}, insecure: {optionalKid: true}}]}}",
    ],
    ["sections that lie there unused", "storage: {driver: disk, blob: {bucket: x}}\nhub: {credentials: {}}\ntelemetry: {disabled: true}"],
    ["what is not there, off", "server: {playgroundEnabled: false}"],
    ["what `authz init` writes", starter[".authz.yaml"] ?? "missing"],
  ])("%s", (_sentence, text) => {
    expect(verdicts(text)).toEqual([true, true]);
  });

  test("what `authz config print` prints", () => {
    const { config } = loadConfig(undefined, [], {});
    expect(config === undefined ? undefined : verdicts(printConfig(config, "all"))).toEqual([true, true]);
  });

  test.each(["${N:true}", "${N:5}", "${N:none}"])("%s may stand in the place of any value", (variable) => {
    for (const key of Object.keys(settingsByKey).filter((one) => one !== "engine.globals" && one !== "auxData.jwt.keySets")) {
      const tree = key.split(".").reduceRight<unknown>((inner, step) => ({ [step]: inner }), variable);
      expect([key, validate(parse(stringify(tree)))]).toEqual([key, true]);
    }
  });
});

describe("a file that is wrong in form", () => {
  test.each([
    ["an unknown section", "sever: {}"],
    ["an unknown key", "server: {htpListenAddr: ':80'}"],
    ["an unknown key far down", "server: {adminAPI: {adminCredentials: {user: a}}}"],
    ["a section that is a text", "server: x"],
    ["a flag that is a word", "server: {metricsEnabled: maybe}"],
    ["a flag in quotes", "server: {metricsEnabled: 'true'}"],
    ["a number that is a word", "server: {requestLimits: {maxActionsPerResource: many}}"],
    ["a number beyond its bounds", "server: {requestLimits: {maxActionsPerResource: 501}}"],
    ["a number with a part", "server: {requestLimits: {maxActionsPerResource: 1.5}}"],
    ["an address without a port", "server: {httpListenAddr: localhost}"],
    ["a duration without a unit", "server: {shutdownTimeout: 10}"],
    ["a negative duration", "server: {shutdownTimeout: -1s}"],
    ["a word that there is not", "schema: {enforcement: maybe}"],
    ["an item that there is not", "schema: {allowRefs: [store, ftp]}"],
    ["permissions that are none", "server: {udsFileMode: abc}"],
    ["a level that there is not", "server: {logLevel: loud}"],
    ["a directory that is empty", "storage: {disk: {directory: ''}}"],
    ["a scope with an empty part", "engine: {defaultScope: a..b}"],
    ["a version with a dash", "engine: {defaultPolicyVersion: a-b}"],
    ["a global with a dash", "engine: {globals: {a-b: 1}}"],
    ["a global that is a word of CEL", "engine: {globals: {'true': 1}}"],
    ["a key set without an id", "auxData: {jwt: {keySets: [{local: {file: a}}]}}"],
    ["a key set from two places", "auxData: {jwt: {keySets: [{id: a, local: {file: a}, remote: {url: 'https://x'}}]}}"],
    ["a key set from nowhere", "auxData: {jwt: {keySets: [{id: a}]}}"],
    ["an unknown key of a key set", "auxData: {jwt: {keySets: [{id: a, local: {file: a}, secure: {}}]}}"],
    ["a driver that does not come", "storage: {driver: mysql}"],
    ["what is not there, on", "server: {playgroundEnabled: true}"],
  ])("%s", (_sentence, text) => {
    expect(verdicts(text)).toEqual([false, false]);
  });
});

interface Described {
  readonly properties: { readonly [key: string]: Described };
}

test("every setting has its sentence and its default, and what means nothing is not suggested", () => {
  const schema = JSON.parse(JSON.stringify(editorSchemas.config())) as Described;
  const at = (key: string): Described | undefined =>
    key.split(".").reduce<Described | undefined>((found, step) => found?.properties[step], schema);
  for (const [key, { description, type, default: usually }] of Object.entries(settingsByKey))
    expect(at(key)).toMatchObject({ description, default: type.print(usually) });
  for (const { key } of unsupportedKeys.filter(({ severity }) => severity === "warning"))
    expect(at(key)).toMatchObject({ doNotSuggest: true });
});
