/** The caller's annotations stand in the access entry of every check that was read, however they are spelled and whatever else is recorded. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import { defaultRecordRules, type RecordRules } from "../../runtime/wire/decisions.ts";
import { openEntryWriter, textOf } from "../../src/audit/entry.ts";
import { loadConfig } from "../../src/config/load.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { logTo } from "../../src/observe/log.ts";
import type { CheckMethod } from "../../src/server/calls/call.ts";
import { callOf } from "./audit-harness.ts";

const policy = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: memo
  version: default
  rules:
    - { actions: [view], effect: EFFECT_ALLOW, roles: [user] }
    - actions: [compare]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: "R.attr.list.exists(x, x in P.attr.list)" } }
`;

/** A check as text, with something before its end. */
const checkOf = (more: string, action = "view", attr: object = {}, ofPrincipal: object = {}): string =>
  `${JSON.stringify({
    principal: { id: "ann", roles: ["user"], attr: ofPrincipal },
    resources: [{ actions: [action], resource: { kind: "memo", id: "1", attr } }],
  }).slice(0, -1)}${more}}`;

const annotated = ',"requestContext":{"annotations":{"ticket":7}}';
const listOf = (value: number): object => ({ list: Array.from({ length: 40_000 }, () => value) });
const tooMuch = checkOf(annotated, "compare", listOf(1), listOf(2));

describe.each<[records: string, rules: RecordRules | undefined]>([
  ["decisions are recorded", defaultRecordRules],
  ["only denials are recorded", { ...defaultRecordRules, denialsOnly: true }],
  ["no decisions are recorded", undefined],
])("where %s", (_records, records) => {
  let engine: Engine;
  beforeAll(async () => {
    const { compiled } = compile([{ path: "memo.yaml", text: policy }], {
      digest: (text) => createHash("sha256").update(text).digest("hex"),
    });
    const { config } = loadConfig(undefined, ["server.requestLimits.maxValuesPerRequest=1000000"], {});
    if (config === undefined || compiled === undefined) throw new Error("this configuration and this policy are valid");
    const log = logTo({ write: () => undefined }, "error");
    engine = openEngine(config, { log, ...(records !== undefined && { records }) });
    await engine.load(JSON.stringify(compiled.bundle));
  });
  afterAll(() => engine.close());

  const contextIn = async (method: CheckMethod, body: string): Promise<unknown> => {
    const reply = await engine.check(method, body, "01ARZ3NDEKTSV4RRFFQ69G5FAV");
    const writer = openEntryWriter({ policySource: "{}", authInfo: "", metadata: () => "", maxBytes: 2 ** 20 });
    const entry: { readonly requestContext?: unknown } = JSON.parse(
      textOf(writer.access(callOf(method, {}, body), { reply, milliseconds: 1 })),
    );
    return entry.requestContext;
  };

  test.each<[sentence: string, body: string, context: object | undefined]>([
    ["one", checkOf(annotated), { annotations: { ticket: 7 } }],
    ["in the other spelling", checkOf(annotated.replace("Context", "_context")), { annotations: { ticket: 7 } }],
    ["in whatever spelling", checkOf(annotated.replace("Context", String.raw`\u0043ontext`)), { annotations: { ticket: 7 } }],
    ["of a check whose answer is no", checkOf(annotated, "burn"), { annotations: { ticket: 7 } }],
    ["nested", checkOf(',"requestContext":{"annotations":{"a":{"b":[1,"+ "]}}}'), { annotations: { a: { b: [1, "+ "] } } }],
    ["none", checkOf(""), undefined],
    ["none that is empty", checkOf(',"requestContext":{"annotations":{}}'), undefined],
    ["none of an empty context", checkOf(',"requestContext":{}'), undefined],
    ["none that stands somewhere else", checkOf("", "view", { requestContext: { annotations: { ticket: 7 } } }), undefined],
    ["none of a request that is refused", checkOf(`${annotated},"resource":1`), undefined],
    ["none of a request that is not JSON", `${checkOf(annotated)}}`, undefined],
  ])("%s", async (_sentence, body, context) => expect(await contextIn("CheckResources", body)).toEqual(context));

  test("of a check that costs too much", async () => {
    expect(await engine.check("CheckResources", tooMuch, "01ARZ3NDEKTSV4RRFFQ69G5FAV")).toMatchObject({ code: 3, hasAnnotations: true });
    expect(await contextIn("CheckResources", tooMuch)).toEqual({ annotations: { ticket: 7 } });
  });
});
