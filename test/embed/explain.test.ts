/** `explain` of `import { load } from "authz"`: the decision of `check`, and why, in lines for people. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { writeBundle } from "../../src/bundle/index.ts";
import { load } from "../../src/embed/load.ts";
import type { LoadOptions } from "../../src/embed/door.ts";
import { decideFolders } from "../golden/cases.ts";
import { optionsOf } from "../golden/settings.ts";
import { compiledFrom } from "./modules.ts";

const folder = mkdtempSync(join(tmpdir(), "authz-explain-"));
afterAll(() => rmSync(folder, { recursive: true }));
const sample = "golden/tour/policies";
const validated = join(folder, "validated");
mkdirSync(join(validated, "_schemas"), { recursive: true });
const item = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: item
  version: default
  schemas:
    resourceSchema: {ref: authz:///item.json, ignoreWhen: {actions: [list]}}
  rules:
    - {name: all, actions: [view, list, __proto__], roles: [user], effect: EFFECT_ALLOW}
`;
writeFileSync(join(validated, "item.yaml"), item);
writeFileSync(join(validated, "_schemas/item.json"), '{"type": "object", "properties": {"size": {"type": "number"}}}');

const ann = { id: "ann", roles: ["employee", "manager"], attr: { team: "design" } };
const report = { kind: "expense", id: "1", attr: { owner: "sam", team: "design", amount: 4000, status: "OPEN" } };
const own = { ...report, attr: { ...report.attr, owner: "ann", amount: 5 } };
const user = { id: "ann", roles: ["user"] };
const misfit = { kind: "item", id: "1", attr: { size: "10" } };
const tooMuch =
  "expense.yaml:30:7 resource.expense.vdefault#manager-approves-small-amounts as manager says nothing: condition not met (`R.attr.amount < C.approvalLimit`)";
const rejected = "schema validation rejects the attributes of the resource at `/size`: must be a number, not a string";
const allowedItem = "item.yaml:8:7 resource.item.vdefault#all as user allows: satisfied";

describe("says why", () => {
  test.each<
    readonly [
      why: string,
      source: string,
      options: LoadOptions,
      request: { readonly principal: typeof ann | typeof user; readonly resource: object },
      action: string,
      effect: string,
      lines: readonly string[],
    ]
  >([
    ["allowed", validated, {}, { principal: user, resource: misfit }, "view", "EFFECT_ALLOW", [allowedItem]],
    [
      "denied by a rule",
      sample,
      {},
      { principal: ann, resource: own },
      "approve",
      "EFFECT_DENY",
      [
        "expense.yaml:41:7 resource.expense.vdefault#nobody-approves-their-own as employee, manager denies: satisfied",
        "expense.yaml:30:7 resource.expense.vdefault#manager-approves-small-amounts as manager allows: satisfied",
      ],
    ],
    ["a condition that is not met", sample, {}, { principal: ann, resource: report }, "approve", "EFFECT_DENY", [tooMuch]],
    [
      "nothing is about the action",
      sample,
      {},
      { principal: ann, resource: report },
      "aprove",
      "EFFECT_DENY",
      ["no rule of resource.expense.vdefault allows `aprove`; did you mean `approve`?"],
    ],
    [
      "no policy",
      sample,
      {},
      { principal: ann, resource: { ...report, kind: "expence" } },
      "view",
      "EFFECT_DENY",
      ["did you mean `expense`?"],
    ],
    ["a schema rejects", validated, { schemas: "reject" }, { principal: user, resource: misfit }, "view", "EFFECT_DENY", [rejected]],
    ["a schema warns", validated, { schemas: "warn" }, { principal: user, resource: misfit }, "view", "EFFECT_ALLOW", [allowedItem]],
    ["a schema is ignored", validated, { schemas: "reject" }, { principal: user, resource: misfit }, "list", "EFFECT_ALLOW", [allowedItem]],
    ["any name of an action", validated, {}, { principal: user, resource: misfit }, "__proto__", "EFFECT_ALLOW", [allowedItem]],
  ])("%s", async (_, source, options, request, action, effect, lines) => {
    const { check, explain } = await load(source, { ...options, now: 0 });
    const asked = { ...request, actions: [action] } as never;
    const { reasons, ...result } = explain(asked);
    expect(result).toEqual(check(asked));
    expect([Object.keys(reasons), result.actions[action]?.effect]).toEqual([[action], effect]);
    const said = reasons[action] ?? [];
    for (const line of lines) expect(said).toContainEqual(expect.stringContaining(line));
    expect(Object.isFrozen(reasons)).toBe(true);
    expect(Object.getPrototypeOf(reasons)).toBe(null);
  });
});

describe.each(decideFolders())("decides as `check` does: $name", ({ policies, cases, schemas }) => {
  test.each(cases)("$it", async ({ settings, principal, asked, auxData }) => {
    const { now, globals: _, schemas: __, ...options } = optionsOf(settings, schemas);
    const said = { ...options, globals: settings.globals ?? {}, schemas: settings.schemaEnforcement ?? "none", now } as const;
    const { check, explain } = await load(policies, said);
    for (const { resource, actions } of asked) {
      const request = { principal, resource, actions, ...(auxData !== undefined && { auxData }) };
      const { reasons, ...result } = explain(request);
      expect(result).toEqual(check(request));
      expect(Object.keys(reasons).toSorted()).toEqual([...new Set(actions)].toSorted());
    }
  });
});

const request = { principal: ann, resource: own, actions: ["view"] };

test("it is no decision: the hook for the record is not told", async () => {
  const events: unknown[] = [];
  const { check, explain } = await load(sample, { onDecision: (event) => events.push(event) });
  explain(request);
  await new Promise(setImmediate);
  expect(events).toEqual([]);
  check(request);
  await new Promise(setImmediate);
  expect(events).toHaveLength(1);
});

test("options for one call count", async () => {
  const { explain } = await load(sample);
  const { reasons, actions } = explain({ ...request, resource: { ...own, scope: "" } }, { defaultPolicyVersion: "2" });
  expect([actions.view?.effect, reasons.view]).toEqual(["EFFECT_DENY", [expect.stringContaining("version")]]);
});

describe("refused", () => {
  const { bundle } = compiledFrom([{ path: "item.yaml", text: item }]);
  test.each<readonly [what: string, loading: () => ReturnType<typeof load>, says: string]>([
    ["a bundle", () => load(writtenBundle()), "a bundle holds only compiled policies, which are not explained: load the folder"],
    ["a sandbox", () => load(sample, { sandbox: true }), "policies in a sandbox are not explained: load their folder without `sandbox`"],
  ])("%s", async (_, loading, says) => {
    const { explain } = await loading();
    expect(() => explain(request)).toThrow(says);
  });
  const writtenBundle = (): Uint8Array => writeBundle({ bundle, schemas: new Map(), policies: 1 });

  test("what takes too much work", async () => {
    const { explain } = await load("golden/decide/loops-are-bounded/policies");
    const asked = { principal: user, resource: { kind: "document", id: "1", attr: { text: "x".repeat(2 ** 20) } }, actions: ["short"] };
    expect(() => explain(asked)).toThrow("this takes more work to explain than is allowed: ask for fewer actions, or");
  });

  test("a request that is none, as by `check`", async () => {
    const { explain } = await load(sample);
    expect(() => explain({ ...request, actions: [] })).toThrow("this cannot be decided: `actions`");
  });
});
