/** Schemas and tokens, over both transports: what they say, what they decide, and that nobody else waits for them. */
import { base64url, SignJWT } from "jose";
import { createServer, type RequestListener, type Server } from "node:http";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { eventually, startServer, temporaryFolder, type Body, type Result, type TestServer } from "./harness.ts";
import { fromClient, openClient, toClient } from "./stock-client.ts";

const secret = new Uint8Array(32).fill(7);
const jwk = JSON.stringify({ kty: "oct", k: base64url.encode(secret), alg: "HS256", kid: "a" });
const sign = (claims: Record<string, unknown>): Promise<string> =>
  new SignJWT({ exp: 4_102_444_800, ...claims }).setProtectedHeader({ alg: "HS256", kid: "a" }).sign(secret);

const policyOf = (kind: string, schemas: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  schemas: ${schemas}
  rules:
    - actions: [view, peek]
      effect: EFFECT_ALLOW
      roles: [user]
    - actions: [admin]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: 'request.auxData.jwt.aud == ["admins"]'}}
    - actions: [both]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: 'request.auxData.jwts.one.claims.sub == request.auxData.jwts.two.claims.sub'}}
`;

const store = {
  "album.yaml": policyOf(
    "album",
    "{principalSchema: {ref: 'authz:///user.json'}, resourceSchema: {ref: 'cerbos:///album.json', ignoreWhen: {actions: [peek]}}}",
  ),
  "plain.yaml": policyOf("plain", "{}"),
  "lost.yaml": policyOf("lost", "{resourceSchema: {ref: 'authz:///nowhere.json'}}"),
  "_schemas/user.json": JSON.stringify({ required: ["team"] }),
  "_schemas/album.json": JSON.stringify({
    type: "object",
    required: ["owner", "size"],
    properties: { owner: { $ref: "parts/name.json" }, size: { type: "integer" } },
  }),
  "_schemas/parts/name.json": JSON.stringify({ type: "string", pattern: "^([a-z]+)+$" }),
} as const;

/** Writes a configuration file; answers its path. */
const configure = (...sections: readonly string[]): string => join(temporaryFolder({ "authz.yaml": sections.join("\n") }), "authz.yaml");
const keySets = (source: string): string => `auxData: {jwt: {keySets: [{id: k, ${source}}]}}`;
const inline = keySets(`local: {data: ${Buffer.from(jwk).toString("base64")}}`);

interface Asked {
  readonly kind: string;
  readonly actions?: readonly string[];
  readonly attr?: object;
  readonly team?: string;
  readonly auxData?: object;
}

const requestOf = ({ kind, actions = ["view"], attr = {}, team = "x", auxData }: Asked): object => ({
  principal: { id: "ann", roles: ["user"], ...(team !== "" && { attr: { team } }) },
  resources: [{ actions, resource: { kind, id: "1", attr } }],
  includeMeta: true,
  ...(auxData !== undefined && { auxData }),
});

/** Asks over both transports and returns what both answer. */
async function ask(server: TestServer, asked: Asked): Promise<Body> {
  const http = await server.post("/api/check/resources", requestOf(asked));
  const client = openClient(server.grpc, "authz.svc.v1.AuthzService");
  const grpc = await client.call("checkResources", toClient(JSON.parse(JSON.stringify(requestOf(asked)))));
  client.close();
  if (http.status === 200) expect({ ...fromClient(grpc.reply), authzCallId: "" }).toEqual({ ...http.json, authzCallId: "" });
  else expect([grpc.code, grpc.message]).toEqual([http.json.code, http.json.message]);
  return http.json;
}
const errorsOf = ({ validationErrors = [] }: Result): readonly string[] =>
  validationErrors.map(({ source, path = "", message }) => `${source} ${path} ${message}`);

describe.each(["none", "warn", "reject"] as const)("with enforcement %s", (enforcement) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ policies: store, settings: { "schema.enforcement": enforcement }, file: configure(inline) });
  });
  afterAll(() => server.stop());
  const good = { owner: "ann", size: 1 };
  const denies = enforcement === "reject";

  test("attributes that fit say nothing", async () => {
    const [result] = (await ask(server, { kind: "album", attr: good })).results;
    expect([errorsOf(result), result.actions]).toEqual([[], { view: "EFFECT_ALLOW" }]);
  });

  test("attributes that do not fit are told of, principal's first", async () => {
    const [result] = (await ask(server, { kind: "album", attr: { size: "1", owner: "Ann" }, team: "" })).results;
    const wanted = [
      "SOURCE_PRINCIPAL / `team` is missing",
      "SOURCE_RESOURCE /owner must match the pattern `^([a-z]+)+$`",
      "SOURCE_RESOURCE /size must be a whole number, not a string",
    ];
    expect(errorsOf(result)).toEqual(enforcement === "none" ? [] : wanted);
    expect(result.actions).toEqual({ view: denies ? "EFFECT_DENY" : "EFFECT_ALLOW" });
    if (denies) expect(result.meta.actions["view"]).toEqual({ matchedPolicy: "resource.album.vdefault" });
  });

  test("a schema is ignored only when every action is one that ignores it", async () => {
    const [ignored] = (await ask(server, { kind: "album", actions: ["peek"] })).results;
    expect([errorsOf(ignored), ignored.actions]).toEqual([[], { peek: "EFFECT_ALLOW" }]);
    const [mixed] = (await ask(server, { kind: "album", actions: ["peek", "view"] })).results;
    expect(errorsOf(mixed)).toHaveLength(enforcement === "none" ? 0 : 2);
    expect(mixed.actions["peek"]).toBe(denies ? "EFFECT_DENY" : "EFFECT_ALLOW");
  });

  test("a schema that is not there is an error without a path", async () => {
    const [result] = (await ask(server, { kind: "lost" })).results;
    expect(errorsOf(result)).toEqual(
      enforcement === "none" ? [] : [expect.stringMatching(/^SOURCE_RESOURCE {2}the schema `authz:\/\/\/nowhere.json` cannot be used/)],
    );
    const warned = server.logged().some((line) => line["authz.diagnostic.code"] === "invalid-schema");
    expect(warned).toBe(enforcement !== "none");
  });

  test("a text made for its pattern is answered like any other", async () => {
    const [result] = (await ask(server, { kind: "album", attr: { ...good, owner: `${"a".repeat(100_000)}!` } })).results;
    expect(errorsOf(result)).toHaveLength(enforcement === "none" ? 0 : 1);
  });
});

describe("tokens", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ policies: store, file: configure(inline) });
  });
  afterAll(() => server.stop());

  test("claims are what conditions see", async () => {
    for (const [aud, effect] of [
      ["admins", "EFFECT_ALLOW"],
      [["users"], "EFFECT_DENY"],
    ] as const) {
      const { results } = await ask(server, { kind: "plain", actions: ["admin"], auxData: { jwt: { token: await sign({ aud }) } } });
      expect(results[0].actions).toEqual({ admin: effect });
    }
  });

  test("named tokens too", async () => {
    const jwts = { one: { token: await sign({ sub: "s" }) }, two: { token: await sign({ sub: "s", n: 1 }), keySetId: "k" } };
    expect((await ask(server, { kind: "plain", actions: ["both"], auxData: { jwts } })).results[0].actions).toEqual({
      both: "EFFECT_ALLOW",
    });
  });

  test.each<readonly [sentence: string, auxData: () => Promise<object>, message: string]>([
    ["an expired token", async () => ({ jwt: { token: await sign({ exp: 1 }) } }), "invalid auxData: expired"],
    ["an unknown key set", async () => ({ jwt: { token: await sign({}), keySetId: "x" } }), "invalid auxData: unknown key set `x`"],
    ["a wrong signature", async () => ({ jwt: { token: `${(await sign({})).slice(0, -4)}AAAA` } }), "invalid auxData: bad signature"],
    [
      "one of several",
      async () => ({ jwts: { a: { token: await sign({}) }, b: { token: await sign({ nbf: 4_000_000_000 }) } } }),
      "invalid auxData: token `b`: not valid yet",
    ],
  ])("%s refuses the request", async (_sentence, auxData, message) => {
    const { code, message: said } = await ask(server, { kind: "plain", auxData: await auxData() });
    expect([code, said]).toEqual([3, message]);
  });

  test("no token is in the log", async () => {
    const token = await sign({ exp: 2, note: "one of a kind" });
    await ask(server, { kind: "plain", auxData: { jwt: { token } } });
    expect(JSON.stringify(server.logged())).not.toContain(token.slice(0, 20));
  });
});

describe("another machine", () => {
  const machines: Server[] = [];
  const servers: TestServer[] = [];
  afterEach(async () => {
    for (const machine of machines.splice(0)) {
      machine.closeAllConnections();
      machine.close();
    }
    for (const server of servers.splice(0)) await server.stop();
  });
  const serve = async (listener: RequestListener): Promise<string> => {
    const machine = createServer(listener);
    machines.push(machine);
    await new Promise<void>((resolve) => machine.listen(0, "127.0.0.1", resolve));
    const address = machine.address();
    return typeof address === "object" && address !== null ? `127.0.0.1:${address.port}` : "";
  };
  const start = async (options: Parameters<typeof startServer>[0]): Promise<TestServer> => {
    const server = await startServer(options);
    servers.push(server);
    return server;
  };

  test("that hangs with keys or with a schema makes nobody else wait", async () => {
    let release: () => void = () => undefined;
    const host = await serve((request, response) => {
      release = () => response.end(request.url === "/keys" ? jwk : '{"required":["owner"]}');
    });
    const far = policyOf("far", `{resourceSchema: {ref: 'http://${host}/s.json'}}`);
    const schema = `schema: {enforcement: reject, allowRefs: [store, http], allowedHosts: ["${host}"]}`;
    const server = await start({
      policies: { ...store, "far.yaml": far },
      file: configure(keySets(`remote: {url: "http://${host}/keys"}`), schema),
    });
    const others = async (): Promise<void> => {
      for (let times = 0; times < 5; times++)
        expect((await ask(server, { kind: "plain" })).results[0].actions).toEqual({ view: "EFFECT_ALLOW" });
    };
    const waitingForKeys = ask(server, { kind: "plain", actions: ["admin"], auxData: { jwt: { token: await sign({ aud: "admins" }) } } });
    await others();
    release();
    expect((await waitingForKeys).results[0].actions).toEqual({ admin: "EFFECT_ALLOW" });
    release = () => undefined;
    const waitingForSchema = ask(server, { kind: "far" });
    await others();
    await eventually(
      () => release.toString(),
      (text) => text.includes("response"),
    );
    release();
    const [result] = (await waitingForSchema).results;
    expect([errorsOf(result), result.actions]).toEqual([["SOURCE_RESOURCE / `owner` is missing"], { view: "EFFECT_DENY" }]);
  });

  test("that cannot be reached refuses its tokens, with a word in the log", async () => {
    const server = await start({ policies: store, file: configure(keySets('remote: {url: "http://127.0.0.1:1/keys"}')) });
    const { message } = await ask(server, { kind: "plain", auxData: { jwt: { token: await sign({}) } } });
    expect(message).toBe("invalid auxData: the keys of the key set `k` are not available");
    expect(server.logged().filter((line) => String(line["message"]).includes("cannot be fetched"))).toHaveLength(1);
  });
});

describe("schemas that change", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ policies: store, settings: { "schema.enforcement": "warn", "storage.disk.watchForChanges": true } });
  });
  afterAll(() => server.stop());
  // Over one transport: the next one may already see the change.
  const errors = async (): Promise<readonly string[]> =>
    errorsOf((await server.post("/api/check/resources", requestOf({ kind: "album", attr: { owner: "ann", size: 1 } }))).json.results[0]);
  const write = (name: string, schema: unknown): void => writeFileSync(join(server.directory, name), JSON.stringify(schema));

  test("are in force without a restart, also those that others refer to", async () => {
    expect(await errors()).toEqual([]);
    write("_schemas/parts/name.json", { type: "number" });
    expect(await eventually(errors, (found) => found.length > 0)).toEqual(["SOURCE_RESOURCE /owner must be a number, not a string"]);
    write("_schemas/parts/name.json", { type: "string" });
    await eventually(errors, (found) => found.length === 0);
    rmSync(join(server.directory, "_schemas/album.json"));
    expect(await eventually(errors, (found) => found.length > 0)).toEqual([
      expect.stringContaining("there is no file `_schemas/album.json`"),
    ]);
  });
});
