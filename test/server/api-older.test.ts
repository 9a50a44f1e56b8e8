/** The older calls, CheckResourceSet and CheckResourceBatch: decided as CheckResources decides, alike over both transports. */
import { generateKeyPairSync, sign } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, temporaryFolder, type TestServer } from "./harness.ts";
import { openClient, type StockClient } from "./stock-client.ts";

const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
const policy = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  schemas:
    principalSchema: { ref: "authz:///principal.json" }
    resourceSchema: { ref: "authz:///album.json" }
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: R.attr.owner == P.id } }
    - actions: [share]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: request.auxData.jwt.team == "a" } }
      output: { when: { ruleActivated: request.auxData.jwt } }
`;

let folder: string;
let server: TestServer;
let client: StockClient;
beforeAll(async () => {
  const jwk = { ...keys.publicKey.export({ format: "jwk" }), kid: "k", alg: "ES256" };
  const keySet = { id: "main", local: { data: Buffer.from(JSON.stringify(jwk)).toString("base64") } };
  folder = temporaryFolder({
    "authz.yaml": JSON.stringify({
      schema: { enforcement: "warn" },
      auxData: { jwt: { keySets: [keySet] } },
      server: { requestLimits: { maxResourcesPerRequest: 2 } },
    }),
  });
  server = await startServer({
    file: join(folder, "authz.yaml"),
    policies: {
      "album.yaml": policy,
      "_schemas/principal.json": '{"type":"object","properties":{"age":{"type":"integer"}}}',
      "_schemas/album.json": '{"type":"object","required":["owner"]}',
    },
  });
  client = openClient(server.grpc, "authz.svc.v1.AuthzService");
});
afterAll(async () => {
  client.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

function token(claims: object): string {
  const text = [{ alg: "ES256", kid: "k" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${sign("sha256", Buffer.from(text), { key: keys.privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

const ann = { id: "ann", roles: ["user"] };
const value = (text: string) => ({ stringValue: text });

/** Attributes as either transport wants them. */
const attributes = {
  json: (attr: Readonly<Record<string, string>>) => attr,
  client: (attr: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(attr).map(([name, text]) => [name, value(text)])),
};

type Form = (typeof attributes)[keyof typeof attributes];
type Ask = (attr: Form) => object;

async function both(path: string, method: string, ask: Ask): Promise<readonly [http: unknown, grpc: unknown]> {
  const http = await server.post(path, ask(attributes.json));
  const grpc = await client.call(method, ask(attributes.client));
  // Over HTTP everything is there that has a point; this client leaves empty lists out as well.
  return [http.status === 200 ? http.json : [http.json.code, http.json.message], grpc.code === 0 ? grpc.reply : [grpc.code, grpc.message]];
}

const set =
  (instances: Readonly<Record<string, Readonly<Record<string, string>>>>, more: object = {}): Ask =>
  (attr) => ({
    actions: ["view", "share"],
    principal: ann,
    ...more,
    resource: { kind: "album", instances: Object.fromEntries(Object.entries(instances).map(([id, each]) => [id, { attr: attr(each) }])) },
  });
const batch =
  (owners: readonly string[], more: object = {}): Ask =>
  (attr) => ({
    principal: ann,
    ...more,
    resources: owners.map((owner, index) => ({
      actions: ["view", "share"],
      resource: { kind: "album", id: String(index), attr: attr(owner === "" ? {} : { owner }) },
    })),
  });

const lacking = [{ path: "/", message: expect.stringContaining("owner"), source: "SOURCE_RESOURCE" }];

describe("CheckResourceSet", () => {
  test.each<readonly [sentence: string, ask: Ask, reply: unknown]>([
    [
      "answers by id",
      set({ b: { owner: "ann" }, a: { owner: "bob" } }, { requestId: "r" }),
      {
        requestId: "r",
        resourceInstances: {
          b: { actions: { view: "EFFECT_ALLOW", share: "EFFECT_DENY" } },
          a: { actions: { view: "EFFECT_DENY", share: "EFFECT_DENY" } },
        },
      },
    ],
    [
      "takes any text for an id",
      set(
        Object.fromEntries([
          ["constructor", { owner: "ann" }],
          ["__proto__", { owner: "ann" }],
        ]),
      ),
      {
        resourceInstances: Object.fromEntries(
          ["constructor", "__proto__"].map((id) => [id, { actions: { view: "EFFECT_ALLOW", share: "EFFECT_DENY" } }]),
        ),
      },
    ],
    [
      "says what decided",
      set({ a: { owner: "ann" } }, { includeMeta: true }),
      {
        resourceInstances: { a: { actions: { view: "EFFECT_ALLOW", share: "EFFECT_DENY" } } },
        meta: {
          resourceInstances: {
            a: { actions: { view: { matchedPolicy: "resource.album.vdefault" }, share: { matchedPolicy: "resource.album.vdefault" } } },
          },
        },
      },
    ],
    [
      "says what schemas found wrong",
      set({ a: {} }),
      { resourceInstances: { a: { actions: { view: "EFFECT_DENY", share: "EFFECT_DENY" }, validationErrors: lacking } } },
    ],
    [
      "verifies tokens, and leaves out outputs",
      set({ a: { owner: "ann" } }, { auxData: { jwt: { token: token({ team: "a" }) } } }),
      { resourceInstances: { a: { actions: { view: "EFFECT_ALLOW", share: "EFFECT_ALLOW" } } } },
    ],
    ["refuses tokens", set({ a: {} }, { auxData: { jwt: { token: "x.y.z" } } }), [3, expect.stringMatching(/^invalid auxData: /)]],
    [
      "refuses too many",
      set({ a: {}, b: {}, c: {} }),
      [
        3,
        "the request asks about 3 resources, but at most 2 are allowed in one request (setting server.requestLimits.maxResourcesPerRequest)",
      ],
    ],
    [
      "refuses what is broken",
      set({}, { actions: [] }),
      [3, expect.stringMatching(/^invalid request: actions: .*; resource\.instances: /)],
    ],
  ])("%s", async (_, ask, reply) => {
    expect(await both("/api/check", "checkResourceSet", ask)).toEqual([reply, reply]);
  });
});

describe("CheckResourceBatch", () => {
  const result = (resourceId: string, view: string, share = "EFFECT_DENY") => ({ resourceId, actions: { view, share } });
  test.each<readonly [sentence: string, ask: Ask, reply: unknown]>([
    [
      "answers in order",
      batch(["bob", "ann"], { requestId: "r" }),
      { requestId: "r", results: [result("0", "EFFECT_DENY"), result("1", "EFFECT_ALLOW")] },
    ],
    ["says what schemas found wrong", batch([""]), { results: [{ ...result("0", "EFFECT_DENY"), validationErrors: lacking }] }],
    [
      "verifies tokens, and leaves out outputs",
      batch(["ann"], { auxData: { jwt: { token: token({ team: "a" }), keySetId: "main" } } }),
      { results: [result("0", "EFFECT_ALLOW", "EFFECT_ALLOW")] },
    ],
    [
      "refuses tokens",
      batch(["ann"], { auxData: { jwt: { token: "x", keySetId: "other" } } }),
      [3, expect.stringMatching(/^invalid auxData: /)],
    ],
    [
      "refuses too many",
      batch(["a", "b", "c"]),
      [
        3,
        "the request asks about 3 resources, but at most 2 are allowed in one request (setting server.requestLimits.maxResourcesPerRequest)",
      ],
    ],
    [
      "refuses what is broken",
      batch([], { principal: {} }),
      [3, expect.stringMatching(/^invalid request: principal\.id: .*; principal\.roles: .*; resources: /)],
    ],
  ])("%s", async (_, ask, reply) => {
    expect(await both("/api/check_resource_batch", "checkResourceBatch", ask)).toEqual([reply, reply]);
  });
});

test("HTTP refuses what the contract does not have", async () => {
  const answer = await server.post("/api/check_resource_batch", { includeMeta: true });
  expect([answer.status, answer.json.code, answer.json.message]).toEqual([400, 3, expect.stringContaining("unknown field `includeMeta`")]);
});
