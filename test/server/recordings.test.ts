/** Every recorded exchange of the reference, asked of our servers: the same status and the same meaning, or the decision that says otherwise. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { between } from "./recordings/between.ts";
import { isCut, wholeBody } from "./recordings/bodies.ts";
import { differences } from "./recordings/differences.ts";
import { exchangesOf, folder, recorded, type Exchange } from "./recordings/exchanges.ts";
import { grpcMeaning, httpMeaning, recordedAnswer, type Meaning } from "./recordings/meaning.ts";
import { recordedMessage, sendGrpc, sendHttp } from "./recordings/send.ts";
import { startServers, type Servers } from "./recordings/servers.ts";
import { keyIdOf, withTokens } from "./recordings/tokens.ts";

const callId = /\b01[0-9A-HJKMNP-TV-Z]{24}\b/g;

const files = [
  "admin_http",
  "admin_policies_http",
  "admin_inspect_http",
  "check_http",
  "extra_http",
  "jwt_http",
  "schema_and_badpolicy_http",
  "authzen_playground_audit_http",
  "misc_http",
  "live_update_http",
  "grpc",
] as const;

test("every reason to differ is a decision", () => {
  const decisions = readFileSync(join(import.meta.dirname, "../../docs/decisions.md"), "utf8");
  for (const { decision } of differences) expect(decisions).toMatch(new RegExp(`\\*\\*${decision}\\b`));
});

describe("the recorded exchanges", () => {
  if (!recorded) {
    console.warn(`left out: the recorded exchanges of the reference do not lie at ${folder}; AUTHZ_RECORDINGS names another folder`);
    return;
  }

  // In the order in which they were recorded: some change what the next ones are answered with.
  const all = files.flatMap(exchangesOf);
  const asked = all.toSorted((left, right) => (left.at || Infinity) - (right.at || Infinity) || 0);
  const used = new Map<number, number>();
  /** Recorded call ids, and ours of the same calls. */
  const callIds = new Map<string, string>();
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(keyIdOf(all.find(({ name }) => name === "jwt_http/valid")?.request.body ?? null));
  });
  afterAll(() => servers.stop());

  test.each(asked.map((exchange) => [exchange.name, exchange] as const))("%s", async (_, exchange) => {
    await catchUp(exchange.name);
    const [theirs, ours] = await (exchange.request.method === "gRPC" ? overGrpc : overHttp)(exchange);
    const wanted = differences.reduce((meaning, { of, ours: turn }, row) => {
      if (!of.test(exchange.name)) return meaning;
      const turned = turn(meaning, exchange);
      if (JSON.stringify(turned) !== JSON.stringify(meaning)) used.set(row, (used.get(row) ?? 0) + 1);
      return turned;
    }, theirs);
    if (isCut(exchange.response.body)) expect(ours.status).toBe(wanted.status);
    else expect(ours).toEqual(wanted);
  });

  test("every reason to differ is needed", () => {
    expect(differences.filter((_, row) => !used.has(row))).toEqual([]);
  });

  async function catchUp(name: string): Promise<void> {
    for (const { like, path } of between.filter(({ before }) => before === name).flatMap(({ calls }) => calls)) {
      const found = all.find((exchange) => exchange.name === like);
      if (found === undefined) throw new Error(`${like} is not recorded`);
      const call = { ...found, request: { ...found.request, path: path ?? found.request.path } };
      const { status } = await sendHttp(servers.of(found.setup), call, wholeBody(like, found.request.body));
      expect([like, status]).toEqual([like, 200]);
    }
  }

  async function overHttp(exchange: Exchange): Promise<readonly [theirs: Meaning, ours: Meaning]> {
    const body = wholeBody(exchange.name, withTokens(exchange, servers.keys));
    const now = { ...exchange, request: { ...exchange.request, path: sameTime(exchange) } };
    const answer = await sendHttp(servers.of(exchange.setup), now, body);
    for (const [id] of exchange.response.body?.matchAll(callId) ?? []) callIds.set(id, answer.body?.match(callId)?.[0] ?? id);
    return [httpMeaning(exchange, recordedAnswer(exchange)), httpMeaning(exchange, answer)];
  }

  /** The path with what it names as it is here and now: calls by our ids, times as long ago as they were. */
  function sameTime({ at, request: { path } }: Exchange): string {
    const named = path.replaceAll(callId, (id) => callIds.get(id) ?? id);
    return named.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (time) => new Date(Date.parse(time) - at + Date.now()).toISOString());
  }

  async function overGrpc(exchange: Exchange): Promise<readonly [theirs: Meaning, ours: Meaning]> {
    const { code, json } = await sendGrpc(servers.of(exchange.setup), exchange);
    const theirs = grpcMeaning(exchange, recordedAnswer(exchange).status, recordedMessage(exchange));
    return [theirs, grpcMeaning(exchange, code, json)];
  }
});
