/** Who is the administrator: hashes, credentials, failed logins; and policies as the text that a store keeps. */
import { hashSync } from "bcryptjs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { YamlNode } from "../../compiler/yaml/node.ts";
import { parseYaml } from "../../compiler/yaml/parse.ts";
import { floatIn, integerIn } from "../../compiler/yaml/scalar-type.ts";
import { openAdmin } from "../../src/admin/admin.ts";
import { policyText, withNeutralNames } from "../../src/admin/changes/policy-text.ts";
import { openCredentials, type CheckCredentials } from "../../src/admin/credentials.ts";
import { addressOf, openFailedLogins, type LoginLimits } from "../../src/admin/failed-logins.ts";
import { hashPassword, passwordMatches, readPasswordHash } from "../../src/admin/password-hash.ts";
import { logTo } from "../../src/observe/log.ts";
import { refusal } from "../../src/refusal.ts";
import type { Call } from "../../src/server/calls/call.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const log = logTo({ write: () => undefined }, "error");

describe("a password's hash in the configuration", () => {
  const bcrypt = hashSync("secret", 4);
  test.each([
    ["is the base64 of a bcrypt hash", base64(bcrypt), bcrypt],
    ["may end in a line feed, as files do", base64(`${bcrypt}\n`), bcrypt],
    ["may be dear", base64(bcrypt.replace("$04$", "$16$")), bcrypt.replace("$04$", "$16$")],
    ["may be of the other two kinds", base64(bcrypt.replace("$2b$", "$2y$")), bcrypt.replace("$2b$", "$2y$")],
  ])("%s", (_sentence, encoded, read) => expect(readPasswordHash(encoded)).toBe(read));

  test.each([
    ["absent", "", "there is no hash of a password"],
    ["no base64", "$2b$10$abc", "not the base64 of a bcrypt hash"],
    ["the password itself", base64("secret"), "not the base64 of a bcrypt hash"],
    ["the hash without base64", bcrypt, "not the base64 of a bcrypt hash"],
    ["half of one", base64(bcrypt.slice(0, 40)), "not the base64 of a bcrypt hash"],
    ["of a cost that nobody waits for", base64(bcrypt.replace("$04$", "$17$")), "the cost 17"],
    ["of a cost that hides nothing", base64(bcrypt.replace("$04$", "$03$")), "the cost 3"],
  ])("is refused when it is %s: with the command that makes one, and without itself", (_sentence, encoded, why) => {
    const read = (): string => readPasswordHash(encoded);
    expect(read).toThrow(why);
    expect(read).toThrow("authz admin hash-password");
    if (encoded !== "") expect(read).not.toThrow(encoded);
  });

  test("is what the command makes", async () => {
    const made = readPasswordHash(await hashPassword("pass:word ü"));
    expect(await passwordMatches("pass:word ü", made)).toBe(true);
    expect(await passwordMatches("pass:word u", made)).toBe(false);
  });

  test("does not let in a longer password that begins like one of 72 bytes", async () => {
    const long = "x".repeat(72);
    const hash = hashSync(long, 4);
    expect(await passwordMatches(long, hash)).toBe(true);
    expect(await passwordMatches(`${long}y`, hash)).toBe(false);
    expect(await passwordMatches("ü".repeat(37), hashSync("ü".repeat(36), 4))).toBe(false);
  });
});

/** A call with headers. */
const callWith = (authorization: readonly string[], peer = "192.0.2.1:1234"): Call => ({
  transport: "http",
  peer,
  headers: {
    get: (name) => (name === "authorization" ? authorization[0] : undefined),
    entries: () => [["accept", ["*/*"]], ...(authorization.length > 0 ? [["authorization", authorization] as const] : [])],
  },
});

test.each([
  ["http", 5],
  ["grpc", 12],
] as const)("an API that is disabled lets nobody in over %s, though the credentials are right", async (transport, code) => {
  const nobody = (): never => {
    throw new Error("the store must not be asked");
  };
  const config = {
    "server.adminAPI.enabled": false,
    "server.adminAPI.adminCredentials.username": "authz",
    "server.adminAPI.adminCredentials.passwordHash": base64(hashSync("secret", 4)),
  };
  const auditLog = { enabled: true, query: nobody };
  const admin = openAdmin(config, { live: { ask: nobody }, auditLog, log, checkCredentials: async () => undefined });
  const call = { ...callWith([`Basic ${base64("authz:secret")}`]), transport };
  const refused = { code, text: expect.stringContaining("the administration API is disabled (setting server.adminAPI.enabled)") };
  for (const method of ["AddOrUpdatePolicy", "DeletePolicy", "ReloadStore", "ListSchemas", "AddOrUpdateSchema"] as const)
    expect(await admin.call(method, () => ({ text: "{}" }), call)).toEqual(refused);
  expect(await admin.listAuditLogEntries(() => ({ text: '{"kind":"KIND_ACCESS","tail":1}' }), call)).toEqual(refused);
});

describe("credentials", () => {
  const password = "pass:word: ü";
  const hash = hashSync(password, 4);
  interface Opened {
    readonly check: CheckCredentials;
    /** Passwords that were compared. */
    readonly compared: string[];
  }
  const open = (options: { readonly rememberMilliseconds?: number } = {}): Opened => {
    const compared: string[] = [];
    const check = openCredentials({
      username: "ann",
      passwordHash: hash,
      log,
      verify: (given, wanted) => {
        compared.push(given);
        return passwordMatches(given, wanted);
      },
      ...options,
    });
    return { check, compared };
  };
  const right = base64(`ann:${password}`);

  test.each([
    ["Basic", [`Basic ${right}`]],
    ["basic, in whatever case", [`bAsIc ${right}`]],
    ["with more space than one", [`Basic   ${right} `]],
    ["without the space", [`Basic${right}`]],
  ])("are accepted: %s", async (_sentence, headers) => expect(await open().check(callWith(headers))).toBeUndefined());

  test.each([
    ["none", [], "credentials are required"],
    ["a token", ["Bearer abc"], "only Basic"],
    ["nothing after the word", ["Basic "], "not base64"],
    ["no base64", ["Basic ann:secret"], "not base64"],
    ["no colon", [`Basic ${base64("ann")}`], "not the base64 of name:password"],
    ["another name", [`Basic ${base64(`bob:${password}`)}`], "the name or the password is wrong"],
    ["another password", [`Basic ${base64("ann:other")}`], "the name or the password is wrong"],
    ["no password", [`Basic ${base64("ann:")}`], "the name or the password is wrong"],
    ["the name with a part of the password", [`Basic ${base64(`ann:pass:${password}`)}`], "the name or the password is wrong"],
    ["two headers, one of them right", [`Basic ${base64("ann:x")}`, `Basic ${right}`], "more than one header"],
  ])("are refused: %s", async (_sentence, headers, why) => {
    const reply = await open().check(callWith(headers));
    expect(reply?.code).toBe(16);
    expect(JSON.parse(reply?.text ?? "")).toMatchObject({ code: 16, message: expect.stringContaining(why) });
  });

  test.each([
    ["a published default", "cerbosAdmin", 1],
    ["another", "cerbosadmin", 0],
  ])("whose password is %s are accepted, with so many warnings for all logins that are remembered", async (_sentence, known, warnings) => {
    const warned: string[] = [];
    const check = openCredentials({
      username: "ann",
      passwordHash: hashSync(known, 4),
      log: { ...log, warn: (...said: readonly unknown[]) => void warned.push(String(said.at(-1))) },
      verify: passwordMatches,
    });
    for (let turn = 0; turn < 3; turn++) expect(await check(callWith([`Basic ${base64(`ann:${known}`)}`]))).toBeUndefined();
    expect(warned.filter((line) => line.includes("is a published default"))).toHaveLength(warnings);
    expect(warned.join()).not.toContain(known);
  });

  test("compare the password whatever the name is, so that time does not tell names", async () => {
    const { check, compared } = open();
    await check(callWith([`Basic ${base64("nobody:x")}`]));
    await check(callWith([`Basic ${base64("ann:x")}`]));
    expect(compared).toEqual(["x", "x"]);
  });

  test("that were right are known for a while, and only they", async () => {
    const { check, compared } = open();
    for (let turn = 0; turn < 5; turn++) expect(await check(callWith([`Basic ${right}`]))).toBeUndefined();
    expect(compared).toHaveLength(1);
    expect((await check(callWith([`Basic ${base64(`bob:${password}`)}`])))?.code).toBe(16);
    for (const other of [`an:n:${password}`, `an:n${password}`, `ann${password.slice(0, 1)}:${password.slice(1)}`])
      expect((await check(callWith([`Basic ${base64(other)}`])))?.code).toBe(16);
    expect(compared).toHaveLength(5);
  });

  test("are forgotten", async () => {
    const { check, compared } = open({ rememberMilliseconds: 0 });
    await check(callWith([`Basic ${right}`]));
    await check(callWith([`Basic ${right}`]));
    expect(compared).toHaveLength(2);
  });

  test.each([
    ["compared each time", 0],
    ["known", 60_000],
  ])("that are right are never too many, and are no failed logins, where they are %s", async (_sentence, rememberMilliseconds) => {
    const { check } = open({ rememberMilliseconds });
    expect((await check(callWith([`Basic ${base64("ann:x")}`])))?.code).toBe(16);
    for (let turn = 0; turn < 25; turn++) expect(await check(callWith([`Basic ${right}`]))).toBeUndefined();
  });

  test("are not judged while nobody can: that is no failed login", async () => {
    const failedLogins = openFailedLogins();
    const check = openCredentials({
      username: "ann",
      passwordHash: hash,
      log,
      failedLogins,
      verify: () => Promise.reject(refusal("later")),
    });
    for (let turn = 0; turn < 20; turn++) expect((await check(callWith([`Basic ${right}`])))?.code).toBe(14);
    expect(failedLogins.begin("192.0.2.1:1")).toEqual({ kind: "may try" });
  });

  test("from one address are not heard after ten failures, not even the right ones; from another they are", async () => {
    const { check, compared } = open();
    const wrong = callWith([`Basic ${base64("ann:x")}`]);
    const codes = (await Promise.all(Array.from({ length: 30 }, () => check(wrong)))).map((reply) => reply?.code);
    for (let turn = 0; turn < 30 && (await check(wrong))?.code === 16; turn++);
    const heard = compared.length;
    expect(heard).toBe(10);
    expect(codes).toContain(8);
    expect((await check(callWith([`Basic ${right}`])))?.code).toBe(8);
    expect(compared).toHaveLength(heard);
    expect(await check(callWith([`Basic ${right}`], "198.51.100.7:1"))).toBeUndefined();
  });

  test("are compared eight at a time: who comes then is told to come again, which is no failed login", async () => {
    const failedLogins = openFailedLogins();
    const answers: ((isRight: boolean) => void)[] = [];
    const check = openCredentials({
      username: "ann",
      passwordHash: hash,
      log,
      failedLogins,
      verify: () => new Promise((resolve) => answers.push(resolve)),
    });
    const ask = (peer: number): ReturnType<CheckCredentials> => check(callWith([`Basic ${right}`], `192.0.2.${peer}:1`));
    const first = Array.from({ length: 8 }, (_, peer) => ask(peer));
    for (let turn = 0; turn < 20; turn++) {
      const refused = await ask(100);
      expect([refused?.code, refused?.retryAfter]).toEqual([8, 1]);
      expect(JSON.parse(refused?.text ?? "")).toMatchObject({ message: expect.stringContaining("too many logins at the same time") });
    }
    expect(answers).toHaveLength(8);
    expect(failedLogins.begin("192.0.2.100:1")).toEqual({ kind: "may try" });
    for (const answer of answers) answer(true);
    expect(await Promise.all(first)).toEqual(Array.from({ length: 8 }, () => undefined));
    // Those are over; what was right is known by now.
    expect(await ask(101)).toBeUndefined();
    expect(answers).toHaveLength(8);
    const next = check(callWith([`Basic ${base64("ann:other")}`], "192.0.2.102:1"));
    answers.at(-1)?.(false);
    expect(answers).toHaveLength(9);
    expect((await next)?.code).toBe(16);
  });

  test("that are wrong are answered after the time that failures take", async () => {
    const check = openCredentials({
      username: "ann",
      passwordHash: hash,
      log,
      failedLogins: { begin: () => ({ kind: "may try" }), succeeded: () => undefined, abandoned: () => undefined, failed: () => 40 },
      verify: async () => false,
    });
    const answered: string[] = [];
    const reply = check(callWith([`Basic ${right}`])).then(() => answered.push("the login"));
    await new Promise((resolve) => setTimeout(resolve, 5)).then(() => answered.push("a moment"));
    await reply;
    expect(answered).toEqual(["a moment", "the login"]);
  });

  test("that nobody can judge, because of a fault of ours, are a fault", async () => {
    const fault = new TypeError("ours");
    const check = openCredentials({ username: "ann", passwordHash: hash, log, verify: () => Promise.reject(fault) });
    await expect(check(callWith([`Basic ${right}`]))).rejects.toBe(fault);
  });

  test("are never logged", async () => {
    const lines: string[] = [];
    const check = openCredentials({
      username: "ann",
      passwordHash: hash,
      log: logTo({ write: (line) => void lines.push(line) }, "debug"),
      verify: passwordMatches,
    });
    await check(callWith([`Basic ${base64("ann:hunter2")}`]));
    await check(callWith([`Basic ${base64("bob-hunter2:x")}`]));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join("")).not.toMatch(/hunter2|\$2[aby]\$/);
  });
});

describe("failed logins", () => {
  const patience: LoginLimits = {
    free: 1,
    most: 3,
    firstDelayMilliseconds: 10,
    longestDelayMilliseconds: 15,
    blockMilliseconds: 60_000,
    addresses: 100,
  };
  const opened = (): { readonly logins: ReturnType<typeof openFailedLogins>; readonly wait: (milliseconds: number) => void } => {
    let now = 1e6;
    return { logins: openFailedLogins(patience, () => now), wait: (milliseconds) => void (now += milliseconds) };
  };
  const fail = (logins: ReturnType<typeof openFailedLogins>, peer: string): number | "blocked" =>
    logins.begin(peer).kind === "blocked" ? "blocked" : logins.failed(peer);

  test("are by default three that are answered at once, seven ever later, and then none for five minutes", () => {
    let now = 0;
    const logins = openFailedLogins(undefined, () => now);
    expect(Array.from({ length: 11 }, () => fail(logins, "a:1"))).toEqual([0, 0, 0, 100, 200, 400, 800, 1600, 2000, 2000, "blocked"]);
    expect(logins.begin("a:1")).toEqual({ kind: "blocked", seconds: 300 });
    const other = (index: number): string => `10.${index >> 8}.${index & 255}.1:1`;
    const failThrice = (index: number): void => void Array.from({ length: 3 }, () => fail(logins, other(index)));
    for (let index = 0; index < 9_999; index++) failThrice(index);
    expect(["a:1", other(0)].map((peer) => fail(logins, peer))).toEqual(["blocked", 100]);
    failThrice(9_999); // the 10,001st address
    expect([1, 3].map((index) => fail(logins, other(index)))).toEqual([0, 100]);
    now = 300_000;
    expect(fail(logins, "a:1")).toBe(0);
  });

  test("are answered later and later, then not at all, then again", () => {
    const { logins, wait } = opened();
    expect(Array.from({ length: 5 }, () => fail(logins, "a:1"))).toEqual([0, 10, 15, "blocked", "blocked"]);
    expect(logins.begin("a:9")).toEqual({ kind: "blocked", seconds: 60 });
    wait(59_000);
    expect(logins.begin("a:1")).toEqual({ kind: "blocked", seconds: 1 });
    wait(1_000);
    expect(fail(logins, "a:1")).toBe(0);
  });

  test("block from the moment at which they failed, however long that took", () => {
    const { logins, wait } = opened();
    for (let turn = 0; turn < 3; turn++) logins.begin("a:1");
    wait(59_000);
    for (let turn = 0; turn < 3; turn++) logins.failed("a:1");
    wait(59_000);
    expect(logins.begin("a:1")).toEqual({ kind: "blocked", seconds: 1 });
  });

  test("are forgiven by a right one", () => {
    const { logins } = opened();
    fail(logins, "a:1");
    fail(logins, "a:1");
    logins.begin("a:1");
    logins.succeeded("a:1");
    expect(Array.from({ length: 3 }, () => fail(logins, "a:1"))).toEqual([0, 10, 15]);
  });

  test("count while they are on their way: a hundred at once are three", () => {
    const { logins } = opened();
    const begun = Array.from({ length: 100 }, (_, index) => logins.begin(`a:${index}`).kind);
    expect(begun.filter((kind) => kind === "may try")).toHaveLength(3);
  });

  test("count while they are on their way: of three, one that ends makes room for one", () => {
    const { logins } = opened();
    for (let turn = 0; turn < 3; turn++) logins.begin("a:1");
    logins.abandoned("a:1");
    expect([logins.begin("a:1").kind, logins.begin("a:1").kind]).toEqual(["may try", "blocked"]);
  });

  test("count while they are on their way, for however long", () => {
    const { logins, wait } = opened();
    for (let turn = 0; turn < 3; turn++) logins.begin("a:1");
    wait(61_000);
    expect(logins.begin("a:1")).toEqual({ kind: "blocked", seconds: 1 });
  });

  test("of a great many addresses are not all remembered, and the last are", () => {
    const { logins } = opened();
    for (let index = 0; index < 10_000; index++) fail(logins, `10.${index >> 8}.${index & 255}.1:1`);
    expect(fail(logins, "10.39.15.1:1")).toBe(10);
    expect(fail(logins, "10.0.0.1:1")).toBe(0);
  });

  test("of many addresses do not make an address forgotten that still asks", () => {
    const { logins } = opened();
    for (let turn = 0; turn < 3; turn++) fail(logins, "a:1");
    for (let index = 0; index < 300; index++) {
      fail(logins, `10.0.${index >> 8}.${index & 255}:1`);
      expect(fail(logins, "a:1")).toBe("blocked");
    }
  });

  test.each([
    ["192.0.2.1:443", "192.0.2.1"],
    ["::ffff:192.0.2.1:443", "192.0.2.1"],
    ["[::ffff:192.0.2.1]:443", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6:443", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2:ffff::6]:443", "2001:db8:1:2::/64"],
    ["2001:db8::1:443", "2001:db8:0:0::/64"],
    ["[2001:0DB8::1]:443", "2001:db8:0:0::/64"],
    ["[fe80::1%eth0]:443", "fe80:0:0:0::/64"],
    ["::1:443", "0:0:0:0::/64"],
    ["[::1]:443", "0:0:0:0::/64"],
    ["[64:ff9b::192.0.2.1]:1", "64:ff9b:0:0::/64"],
    ["[1::5:6:7:192.0.2.1]:1", "1:0:0:5::/64"],
    ["ipv6:[2001:db8::1]:443", "2001:db8:0:0::/64"],
    ["unix", "unix"],
  ])("of %s are those of %s", (peer, address) => expect(addressOf(peer)).toBe(address));

  test("of an IPv6 address are those of its first four groups, however it is written", () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.nat(7), (groups, at) => {
        fc.pre(groups.slice(0, 5).some((each) => each > 0)); // neither `::ffff:192.0.2.1`, an IPv4 address, nor its like
        const written = groups.map((each) => each.toString(16));
        const zeros = groups.slice(at).findIndex((each) => each > 0);
        const end = zeros === -1 ? 8 : at + zeros;
        const address = end - at < 2 ? written.join(":") : `${written.slice(0, at).join(":")}::${written.slice(end).join(":")}`;
        expect(addressOf(`[${address}]:443`)).toBe(`${written.slice(0, 4).join(":")}::/64`);
      }),
    );
  });
});

describe("a policy as text", () => {
  const valueOf = (node: YamlNode): unknown => {
    if (node.kind === "list") return node.items.map(valueOf);
    if (node.kind === "map") return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, valueOf(value)]));
    const { type, text } = node;
    if (type === "integer") return Number(integerIn(text));
    return type === "float" ? floatIn(text) : type === "null" ? null : type === "boolean" ? text === "true" : text;
  };

  test.each<[sentence: string, policy: Parameters<typeof policyText>[0], text: RegExp]>([
    [
      "is YAML",
      { apiVersion: "v", description: "two\nlines", list: [1, true, null, {}] },
      /^apiVersion: v\ndescription: \|-\n  two\n  lines\nlist:\n  - 1\n/,
    ],
    [
      "keeps texts that look like something else",
      { a: "true", b: "1", c: "null", d: "~", e: "2020-01-01", f: "0x1", g: "" },
      /a: "true"\nb: "1"\n/,
    ],
    ["keeps long texts on their line", { a: "word ".repeat(60) }, /^a: .{300,}\n$/],
    ["is JSON where YAML would be read as a merge", { "<<": { a: 1 } }, /^\{\n {2}"<<"/],
    ["keeps a name that reaches prototypes elsewhere", JSON.parse('{"__proto__":{"a":1}}'), /__proto__/],
    ["keeps every character", { a: "\u0000\u0007\u2028\ud83d\ude00\r\n\t\u00a0" }, /a: /],
    ["keeps numbers", { a: 1e15, b: -0.5, c: 123456789012345, d: 2 ** 60 }, /^a: 1000000000000000\n/],
    [
      "is JSON, with a point in each, where YAML would take numbers for texts",
      { a: 1e21, b: -1e-7, c: 123456789012345680000, d: 5e-324, e: [1.5e300, 7, "1e21"], f: {}, g: [] },
      /^\{\n {2}"a": 1\.0e\+21,\n {2}"b": -1\.0e-7,\n {2}"c": 123456789012345680000\.0,\n/,
    ],
    [
      "has no anchors, which a reader may not expand for ever",
      (({ x }) => ({ a: x, b: x, c: [x, x] }))({ x: { deep: ["y"] } }),
      /^(?![^]*[&*])/,
    ],
  ])("%s, and reads as it was", (_sentence, policy, form) => {
    const text = policyText(policy, "a.yaml");
    expect(text).toMatch(form);
    const documents = parseYaml({ path: "", text }, (diagnostic) => expect.fail(diagnostic.message));
    expect(documents.map(valueOf)).toEqual([policy]);
  });

  test("is JSON in a file of JSON", () => expect(JSON.parse(policyText({ a: [1] }, "deep/x.JSON"))).toEqual({ a: [1] }));

  test("has our names for what the reference calls by its own, and nothing else changed", () => {
    const cerbos = "cerbos:///a.json";
    expect(
      withNeutralNames({
        apiVersion: "api.cerbos.dev/v1",
        description: "api.cerbos.dev/v1",
        resourcePolicy: {
          resource: cerbos,
          schemas: { principalSchema: { ref: cerbos }, resourceSchema: { ref: cerbos, ignoreWhen: { actions: [cerbos] } } },
        },
      }),
    ).toEqual({
      apiVersion: "api.authz.dev/v1",
      description: "api.cerbos.dev/v1",
      resourcePolicy: {
        resource: cerbos,
        schemas: {
          principalSchema: { ref: "authz:///a.json" },
          resourceSchema: { ref: "authz:///a.json", ignoreWhen: { actions: [cerbos] } },
        },
      },
    });
  });
});
