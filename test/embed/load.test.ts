/** `import { load } from "authz"`: folders, bundles and their exports, what the server decides, and the words for what is wrong. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { DecisionEvent } from "../../runtime/door/types.ts";
import { evaluateInThisRealm, load as loadBundle } from "../../runtime/load.ts";
import { writeBundle } from "../../src/bundle/index.ts";
import { generateKeys, readPrivateKey } from "../../src/bundle/keys.ts";
import { load } from "../../src/embed/load.ts";
import { decideFolders } from "../golden/cases.ts";
import { expectDecision } from "../golden/expected.ts";
import { optionsOf } from "../golden/settings.ts";
import { compiledFrom, decisionOf } from "./modules.ts";

const folder = mkdtempSync(join(tmpdir(), "authz-load-"));
afterAll(() => rmSync(folder, { recursive: true }));
const sample = "golden/tour/policies";
const ann = { id: "ann", roles: ["employee"] };
const expense = { kind: "expense", id: "1", attr: { owner: "ann", status: "OPEN", amount: 5 } };

describe.each(decideFolders())("golden/decide/$name", ({ policies, cases, schemas, sources }) => {
  test.each(cases)("$it", async ({ settings, principal, asked, auxData }) => {
    const { now, globals: _, schemas: __, ...options } = optionsOf(settings, schemas);
    const said = { ...options, globals: settings.globals ?? {}, schemas: settings.schemaEnforcement ?? "none", now } as const;
    const { check } = await load(policies, said);
    const evaluator = loadBundle(compiledFrom(sources).bundle, evaluateInThisRealm);
    for (const { resource, actions, decision } of asked) {
      const request = { principal, resource, actions, ...(auxData !== undefined && { auxData }) };
      const answer = check(request);
      expectDecision(decisionOf(answer), decision);
      const [server] = evaluator.check([request], optionsOf(settings, schemas));
      expect(decisionOf(answer)).toEqual({ ...server, actions: new Map(server?.actions) });
    }
  });
});

const told = new Set([
  "strict-error-ends-the-action",
  "schema-rejection-denies-every-action",
  "claims-of-a-verified-token",
  "claims-of-named-tokens",
]);
describe.each(decideFolders().filter(({ name }, at) => at % 8 === 0 || told.has(name)))(
  "in a sandbox: $name",
  ({ policies, cases, schemas }) => {
    test.each(cases)("$it", async ({ settings, principal, asked, auxData }) => {
      const { now, defaultPolicyVersion, defaultScope, lenientScopeSearch, strictEvaluation } = optionsOf(settings, schemas);
      const said = {
        now,
        defaultPolicyVersion,
        defaultScope,
        lenientScopeSearch,
        strictEvaluation,
        globals: settings.globals ?? {},
        schemas: settings.schemaEnforcement ?? "none",
      } as const;
      const [outside, inside] = await Promise.all([load(policies, said), load(policies, { ...said, sandbox: true })]);
      for (const { resource, actions } of asked) {
        const request = { principal, resource, actions, ...(auxData !== undefined && { auxData }) };
        expect(inside.check(request)).toEqual(outside.check(request));
      }
    });
  },
);

describe("where policies come from", () => {
  const { bundle } = compiledFrom(
    ["expense.yaml", "expense_roles.yaml"].map((path) => ({ path, text: readFileSync(join(sample, path), "utf8") })),
  );
  const content = { bundle, schemas: new Map<string, string>(), policies: 2 };
  const { privateKey, publicKey } = generateKeys();
  const [file, signed, key, open, stranger] = ["plain.mjs", "signed.mjs", "key", "key.pub", "other.pub"].map((name) =>
    join(folder, name),
  ) as [string, string, string, string, string];
  writeFileSync(key, privateKey, { mode: 0o600 });
  writeFileSync(open, publicKey);
  writeFileSync(stranger, generateKeys().publicKey);
  writeFileSync(file, writeBundle(content));
  writeFileSync(signed, writeBundle(content, readPrivateKey(key)));

  test("a folder, a file, its bytes, what it exports, with and without a key", async () => {
    const exported = ((await import(pathToFileURL(file).href)) as { readonly default: object }).default;
    const all = await Promise.all([
      load(sample),
      load(file),
      load(readFileSync(file)),
      load(exported),
      load(signed),
      load(signed, { publicKey: open }),
      load(readFileSync(signed), { publicKey: [stranger, open] }),
      load(signed, { sandbox: true }),
      load(pathToFileURL(sample)),
      load(pathToFileURL(signed), { publicKey: open }),
      load(new Uint8Array(readFileSync(file)).buffer),
    ]);
    for (const { isAllowed, manifest } of all) {
      expect([isAllowed(ann, expense, "view"), isAllowed(ann, expense, "approve")]).toEqual([true, false]);
      expect(manifest.policies).toEqual(["resource.expense.vdefault"]);
    }
  });

  const changed = (text: string, by: string): Uint8Array => Buffer.from(readFileSync(signed, "utf8").replace(text, by));
  test.each([
    ["no such place", () => load("/nowhere"), "there is no policy folder and no bundle `/nowhere`"],
    ["a policy file", () => load(`${sample}/expense.yaml`), "; policies are loaded together: give their folder, such as `golden/"],
    ["not signed", () => load(file, { publicKey: open }), "plain.mjs` cannot be used: it is not signed"],
    ["signed by another", () => load(signed, { publicKey: stranger }), "it is signed by another key"],
    ["changed", () => load(changed("expense", "expanse"), { publicKey: open }), "the bundle cannot be used: it is damaged"],
    ["a key for a folder", () => load(sample, { publicKey: open }), "only bundles are signed: leave out `publicKey`"],
    ["a key for an export", () => load({}, { publicKey: open }), "what a bundle exports is not signed"],
    ["an address", () => load(new URL("https://policies.example/bundle.mjs")), "only `file:` addresses are read here, not `https:`"],
    ["an address, as a text", () => load("file:///nowhere"), "there is no policy folder and no bundle `file:///nowhere`: give a path, or"],
    ["all that a bundle exports", () => load(import(pathToFileURL(file).href)), "it is a Promise"],
    ["the module of a bundle", async () => load((await import(pathToFileURL(file).href)) as object), "it has a `default`, which may be it"],
    ["nothing", () => load(undefined as never), "path or `file:` URL, its bytes, or what it exports as `default`: it is missing"],
    ["a number", () => load(5 as never), "it is a number"],
    ["an export of something else", () => load({ manifest: {} }), "the bundle cannot be used: it was built by compiler none"],
    ["of a newer compiler", () => load({ manifest: { format: 2, compilerVersion: "99" } }), "it was built by compiler 99"],
    ["of a newer format", () => load({ manifest: { format: 3 } }), "it is of format 3, and format 2 is read here: build it with authz"],
    ["of an older format", () => load({ manifest: { format: 1 } }), "it is of format 1, and format 2 is read here: build it again with"],
    [
      "an option that is none",
      () => load(sample, { strict: true } as never),
      "`strict` is unknown: the options are now, globals, defaultPolicyVersion, defaultScope, lenientScopeSearch, strictEvaluation, evaluationErrors, effectivePolicies, schemas, publicKey, sandbox, maxEvaluationSteps, onDecision, onDecisionFailed",
    ],
    ["an option of another kind", () => load(sample, { defaultScope: 5 } as never), "`defaultScope` must be a string: it is a number"],
    ["too few steps", () => load(sample, { maxEvaluationSteps: 9_999 }), "must be a whole number from 10000 to 100000000"],
    ["a part of a step", () => load(sample, { maxEvaluationSteps: 10_000.5 }), "must be a whole number from 10000 to 100000000"],
    ["steps that are no number", () => load(sample, { maxEvaluationSteps: "12000" } as never), "must be a whole number from 10000"],
    ["a way of schemas that is none", () => load(sample, { schemas: "maybe" } as never), "`schemas` must be none, warn or reject"],
  ])("refused: %s", async (_, loading, says) => {
    await expect(loading()).rejects.toThrow(says);
  });

  test.each([
    [null, "it is null"],
    ["keys/public.pem", "it is a string"],
    [["keys/public.pem"], "it is a list"],
    [new Map([["publicKey", "keys/public.pem"]]), "it is a Map"],
    [Promise.resolve({ sandbox: true }), "it is a Promise"],
  ])("options must be an object, and are refused where %s is given", async (options, word) => {
    await expect(load(sample, options as never)).rejects.toThrow(`the options cannot be used: \`options\` must be an object: ${word}`);
  });

  test.each([null, 5, true, [], [5], {}])("%j is no file with a public key", async (publicKey) => {
    const says = "`publicKey` must be the path of a file with public keys, or a list of such paths";
    await expect(load(file, { publicKey } as never)).rejects.toThrow(says);
  });

  test("policies that do not compile are shown with their lines", async () => {
    const directory = mkdtempSync(join(folder, "broken-"));
    writeFileSync(join(directory, "a.yaml"), readFileSync(join(sample, "expense.yaml"), "utf8").replace("C.approvalLimit", "C."));
    await expect(load(directory)).rejects.toThrow(/do not compile:\n\na\.yaml:7:7: error unknown-import/);
  });
});

describe("the hook for the record", () => {
  test("is told what was asked and answered, after the answer, and cannot change it", async () => {
    const events: DecisionEvent[] = [];
    const { check, manifest } = await load(sample, { onDecision: (event) => events.push(event), now: 1_000 });
    const request = { principal: ann, resource: { ...expense, attr: { owner: "ann", status: "OPEN" } }, actions: ["view"] };
    const answer = check(request);
    expect(events).toEqual([]);
    request.resource.attr.owner = "bob";
    await Promise.resolve();
    await Promise.resolve();
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      now: 1_000,
      policySet: manifest.policySet,
      request: { principal: ann, resource: { attr: { owner: "ann" } } },
    });
    expect(events[0]?.result).toEqual(answer);
  });

  test.each([{}, { strictEvaluation: true }, { schemas: "warn" }, { schemas: "reject" }] as const)(
    "changes no part of an answer, and neither does whoever was answered change what it or the next is told: %j",
    async (settings) => {
      const directory = mkdtempSync(join(folder, "outputs-"));
      const rules = [
        `{ actions: [view], effect: EFFECT_ALLOW, roles: ["*"], output: { when: { ruleActivated: '{"why": ["mine"]}' } } }`,
        `{ actions: [edit], effect: EFFECT_ALLOW, roles: ["*"], condition: { match: { expr: R.attr.n > 1.0 } } }`,
      ];
      writeFileSync(
        join(directory, "doc.yaml"),
        `apiVersion: api.authz.dev/v1\nresourcePolicy: { resource: doc, version: default, schemas: { resourceSchema: { ref: "authz:///n.json" } }, rules: [${rules.join()}] }\n`,
      );
      mkdirSync(join(directory, "_schemas"));
      writeFileSync(join(directory, "_schemas", "n.json"), `{ "required": ["n"] }`);
      const failures: unknown[] = [];
      const told: string[] = [];
      const spoil = (part: unknown): void => {
        if (typeof part !== "object" || part === null) return;
        for (const inner of Object.values(part)) spoil(inner);
        expect(() => Object.assign(part, { spoilt: true })).toThrow(TypeError);
      };
      const { check, explain } = await load(directory, {
        ...settings,
        onDecision: ({ result }) => {
          told.push(JSON.stringify(result));
          spoil(result);
        },
        onDecisionFailed: (error) => failures.push(error),
      });
      const request = { principal: ann, resource: { kind: "doc", id: "1" }, actions: ["view", "edit"] };
      const options = { evaluationErrors: true, effectivePolicies: true };
      const answer = check(request, options);
      const written = JSON.stringify(answer);
      const isDenied = "schemas" in settings && settings.schemas === "reject";
      expect(answer).toMatchObject({
        outputs: isDenied ? [] : [{ val: { why: ["mine"] } }],
        evaluationErrors: isDenied ? [] : [{ message: "no such key: n" }],
        validationErrors: "schemas" in settings ? [{ message: "`n` is missing" }] : [],
      });
      spoil(answer);
      const { reasons: _, ...explained } = explain(request, options);
      for (const part of Object.values(explained)) spoil(part);
      spoil(check(request, options));
      await new Promise((later) => setImmediate(later));
      expect([told, failures, JSON.stringify(answer)]).toEqual([[written, written], [], written]);
    },
  );

  test("is told of a single action what it would be told of a check", async () => {
    const events: DecisionEvent[] = [];
    const { check, isAllowed } = await load(sample, { onDecision: (event) => events.push(event) });
    const resource = { ...expense, attr: { owner: ann.id, status: "OPEN" } };
    const answer = check({ principal: ann, resource, actions: ["view"] });
    isAllowed(ann, resource, "view");
    await Promise.resolve();
    await Promise.resolve();
    expect(answer.effectiveDerivedRoles).not.toEqual([]);
    expect(events.map(({ result }) => result)).toEqual([answer, answer]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("the disk is full");
      },
    ],
    ["rejects", () => Promise.reject(new Error("the disk is full"))],
  ])("a hook that %s is heard of elsewhere", async (_, onDecision) => {
    const failures: unknown[] = [];
    const { isAllowed } = await load(sample, { onDecision, onDecisionFailed: (error) => failures.push(error) });
    expect(isAllowed(ann, expense, "view")).toBe(true);
    await new Promise((later) => setImmediate(later));
    expect(failures).toEqual([new Error("the disk is full")]);
  });

  test("a hook that never ends holds nobody up, and one that is none is refused", async () => {
    const { isAllowed } = await load(sample, { onDecision: () => new Promise(() => undefined) });
    expect(isAllowed(ann, expense, "view")).toBe(true);
    await expect(load(sample, { onDecision: "log" } as never)).rejects.toThrow("must be functions");
  });
});

test("a condition takes as many steps as were told, in a sandbox and without one (D46)", async () => {
  const directory = mkdtempSync(join(folder, "steps-"));
  const rule = `{ actions: [view], effect: EFFECT_ALLOW, roles: ["*"], condition: { match: { expr: "R.attr.list.all(x, x > 0)" } } }`;
  const memo = `apiVersion: api.authz.dev/v1\nresourcePolicy: { resource: memo, version: default, rules: [${rule}] }\n`;
  writeFileSync(join(directory, "memo.yaml"), memo);
  for (const sandbox of [false, true]) {
    const [few, usual] = [await load(directory, { sandbox, maxEvaluationSteps: 12_000 }), await load(directory, { sandbox })];
    const answers = [12_000, 12_001].map((length) => {
      const resource = { kind: "memo", id: "1", attr: { list: Array.from({ length }, () => 1) } };
      const checked = few.check({ principal: ann, resource, actions: ["view"] }).actions["view"]?.effect;
      return [few.isAllowed(ann, resource, "view"), checked, usual.isAllowed(ann, resource, "view")];
    });
    expect(answers).toEqual([
      [true, "EFFECT_ALLOW", true],
      [false, "EFFECT_DENY", true],
    ]);
  }
});

describe("in a sandbox, what is told once", () => {
  test.each([
    [{ defaultScope: "acme" }, "`defaultScope` cannot be set for one check"],
    [{ globals: { a: 1 } }, "`globals` cannot be set for one check"],
    [{ evaluationErrors: true }, "`evaluationErrors` is not available here"],
  ])("%j", async (options, says) => {
    const { check } = await load(sample, { sandbox: true });
    expect(() => check({ principal: ann, resource: expense, actions: ["view"] }, options)).toThrow(says);
  });
});
