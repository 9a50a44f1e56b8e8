/** Every case of `golden/decide` holds: by the reference, by generated code, and over both transports. */
import { describe, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import { decide } from "../../compiler/reference/decide.ts";
import type { Decision } from "../../runtime/decide/decision.ts";
import type { CheckOptions } from "../../runtime/decide/input.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import { digest } from "../agree/judge.ts";
import { startServer } from "../server/harness.ts";
import { fromClient, openClient, toClient } from "../server/stock-client.ts";
import { decideFolders } from "./cases.ts";
import type { Case } from "./cases.ts";

const options: CheckOptions = {
  now: 1_709_208_000_000,
  globals: {},
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  strictEvaluation: false,
  evaluationErrors: true,
};

describe.each(decideFolders())("golden/decide/$name", ({ sources, cases }) => {
  const { compiled, diagnostics } = compile(sources, { digest });
  if (compiled === undefined) throw new Error(`the policies do not compile: ${diagnostics.map((each) => each.message).join("; ")}`);
  const evaluator = load(compiled.bundle, evaluateInThisRealm);

  test.each(cases)("$it", ({ request, decision }) => {
    expectDecision(decide(compiled.policySet, request, options), decision);
    const [generated] = evaluator.check([request], options);
    expectDecision(generated, decision);
    const [quick] = evaluator.check([request], { ...options, evaluationErrors: false });
    expect(quick?.actions).toEqual(generated?.actions);
  });
});

test.each(decideFolders())("golden/decide/$name, over HTTP and over gRPC", async ({ policies, cases }) => {
  const server = await startServer({ policies });
  const client = openClient(server.grpc, "authz.svc.v1.AuthzService");
  try {
    for (const { it, request, decision } of cases) {
      const { principal, resource, actions } = request;
      const body = { requestId: it, includeMeta: true, principal, resources: [{ actions, resource }] };

      const http = await server.post("/api/check/resources", body);
      expect(http.status).toBe(200);
      expectResult(http.json.results[0], decision);

      const grpc = await client.call("checkResources", toClient(body));
      expect(grpc.code).toBe(0);
      expect(fromClient(grpc.reply).results).toEqual(http.json.results);
    }
  } finally {
    client.close();
    await server.stop();
  }
});

/** One entry of `results`, as JSON. */
interface Result {
  readonly actions: { readonly [action: string]: string };
  readonly meta: { readonly actions: { readonly [action: string]: object }; readonly effectiveDerivedRoles?: readonly string[] };
}

function expectResult(result: Result, wanted: Case["decision"]): void {
  for (const [action, want] of Object.entries(wanted.actions)) {
    const { effect, ...meta } = typeof want === "string" ? { effect: want } : want;
    expect(Object.hasOwn(result.actions, action)).toBe(true);
    expect([action, result.actions[action]]).toEqual([action, effect]);
    expect([action, result.meta.actions[action]]).toEqual([action, expect.objectContaining(meta)]);
  }
  if (wanted.effectiveDerivedRoles !== undefined) expect(result.meta.effectiveDerivedRoles ?? []).toEqual(wanted.effectiveDerivedRoles);
}

function expectDecision(actual: Decision | undefined, wanted: Case["decision"]): void {
  if (actual === undefined) throw new Error("no decision");
  for (const [action, want] of Object.entries(wanted.actions)) {
    expect([action, actual.actions.get(action)]).toEqual([
      action,
      expect.objectContaining(typeof want === "string" ? { effect: want } : want),
    ]);
  }
  if (wanted.effectiveDerivedRoles !== undefined) expect(actual.effectiveDerivedRoles).toEqual(wanted.effectiveDerivedRoles);
  if (wanted.evaluationErrors !== undefined) {
    expect(actual.evaluationErrors).toEqual(
      wanted.evaluationErrors.map(({ expression, kind }) =>
        expect.objectContaining({ expression, message: expect.stringMatching(new RegExp(`^${kind}`)) }),
      ),
    );
  }
}
