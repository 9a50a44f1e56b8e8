/** How `authzctl` reaches a server and as whom: addresses, TLS, credentials; and what it says when it does not come through. */
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StandardInput } from "../../src/cli/admin/tty.ts";
import { findMachine } from "../../src/cli/admin/netrc.ts";
import { makeAuthority } from "../server/certificates.ts";
import { temporaryFolder } from "../server/harness.ts";
import { administered, administrator, ctl, startAdministered, type AdministeredServer } from "./ctl-harness.ts";

const authority = makeAuthority();
const stranger = makeAuthority("Somebody else");
const own = authority.issue({ names: ["127.0.0.1", "localhost"] });
const elsewhere = authority.issue({ names: ["example.com"] });
const known = authority.issue({ names: ["boss"], client: true });
const unknown = stranger.issue({ names: ["a stranger"], client: true });

const folder = temporaryFolder({
  "ca.pem": authority.certificate,
  "stranger.pem": stranger.certificate,
  "own.pem": own.certificate,
  "own.key": own.key,
  "elsewhere.pem": elsewhere.certificate,
  "elsewhere.key": elsewhere.key,
  "known.pem": known.certificate,
  "known.key": known.key,
  "unknown.pem": unknown.certificate,
  "unknown.key": unknown.key,
  "text.pem": "nothing to see",
  netrc: `# for tests\nmachine example.com login other password wrong\nmacdef init\n machine 127.0.0.1 login no password no\n\nmachine 127.0.0.1\n  login ${administrator.AUTHZ_USERNAME}\n  password "${administrator.AUTHZ_PASSWORD}"\n`,
  "netrc-other": "machine 127.0.0.1 login somebody password theirs\n",
});
for (const name of ["netrc", "netrc-other"]) chmodSync(join(folder, name), 0o600);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inFolder = (word: string): string => word.replace("DIR", folder);

describe("over TLS", () => {
  let [plain, tls, mutual, wrongName]: AdministeredServer[] = [];
  const tlsOf = (name: string) => ({ "server.tls.cert": join(folder, `${name}.pem`), "server.tls.key": join(folder, `${name}.key`) });
  beforeAll(async () => {
    [plain, tls, mutual, wrongName] = await Promise.all([
      startAdministered(),
      startAdministered({ settings: tlsOf("own") }),
      startAdministered({ settings: { ...tlsOf("own"), "server.tls.caCert": join(folder, "ca.pem") } }),
      startAdministered({ settings: tlsOf("elsewhere") }),
    ]);
  });
  afterAll(() => Promise.all([plain, tls, mutual, wrongName].map(async (server) => server?.stop())));

  const list = { code: 0, out: "SCHEMA ID\n", err: "" };
  test.each<[sentence: string, server: () => AdministeredServer | undefined, flags: string, why: string | undefined]>([
    ["a server of a known authority is trusted", () => tls, "--ca-cert=DIR/ca.pem", undefined],
    ["any server is, when nobody looks", () => tls, "--insecure", undefined],
    ["a server without TLS is asked when that is said", () => plain, "--plaintext", undefined],
    [
      "a client that is known comes in",
      () => mutual,
      "--ca-cert=DIR/ca.pem --client-cert=DIR/known.pem --client-key=DIR/known.key",
      undefined,
    ],
    ["TLS is what is meant, unless it is said", () => plain, "", "the server does not use TLS there (use --plaintext)"],
    ["a private authority is not trusted by itself", () => tls, "", "its certificate is not signed by a trusted authority"],
    ["another authority is not trusted", () => tls, "--ca-cert=DIR/stranger.pem", "its certificate is not signed by a trusted authority"],
    ["a certificate for another name is not", () => wrongName, "--ca-cert=DIR/ca.pem", "its certificate is for another name"],
    ["who shows nothing is not let in", () => mutual, "--ca-cert=DIR/ca.pem", "(--client-cert and --client-key)"],
    [
      "who shows the wrong thing is not let in",
      () => mutual,
      "--ca-cert=DIR/ca.pem --client-cert=DIR/unknown.pem --client-key=DIR/unknown.key",
      "(--client-cert and --client-key)",
    ],
    ["a server that wants TLS is not asked without", () => tls, "--plaintext", "if it uses TLS, leave out --plaintext"],
    ["a file that is not there", () => tls, "--ca-cert=DIR/no.pem", "the certificate `DIR/no.pem` cannot be read"],
    ["a file that is none", () => tls, "--ca-cert=DIR/text.pem", "the file `DIR/text.pem` holds no certificate in PEM form"],
  ])("%s", async (_sentence, server, flags, why) => {
    const words = flags
      .split(" ")
      .filter((word) => word !== "")
      .map(inFolder);
    const ended = await ctl(["get", "schemas", `--server=${server()?.grpc}`, ...words], { environment: administrator });
    if (why === undefined) return expect(ended).toEqual(list);
    expect([ended.code, ended.out]).toEqual([1, ""]);
    expect(ended.err).toContain(inFolder(why));
    expect(ended.err.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("credentials", () => {
  let server: AdministeredServer;
  beforeAll(async () => void (server = await startAdministered()), 60_000);
  afterAll(() => server.stop());

  const ask = (flags: string, environment: Readonly<Record<string, string>>, input?: StandardInput) =>
    ctl(["get", "schemas", "--no-headers", "--plaintext", `--server=${server.grpc}`, ...flags.split(" ").filter((word) => word !== "")], {
      environment: Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, inFolder(value)])),
      ...(input !== undefined && { input }),
    });
  const wrong = "the name or the password is wrong";
  const { AUTHZ_USERNAME: username, AUTHZ_PASSWORD: password } = administrator;

  test.each<[sentence: string, flags: string, environment: Readonly<Record<string, string>>, why: string | undefined]>([
    ["come from options", `--username=${username} --password=${password}`, {}, undefined],
    ["come from the environment", "", administrator, undefined],
    ["come from a netrc file", "", { NETRC: "DIR/netrc" }, undefined],
    ["come from several places", `--username=${username}`, { NETRC: "DIR/netrc" }, undefined],
    ["of options win", `--password=no`, administrator, wrong],
    ["of the environment win over netrc", "", { NETRC: "DIR/netrc", AUTHZ_PASSWORD: "no" }, wrong],
    ["of somebody else are not sent", `--username=${username}`, { NETRC: "DIR/netrc-other" }, "no password is given for boss at 127.0.0.1"],
    ["without a name are none", "", { AUTHZ_PASSWORD: password }, "no username is given for 127.0.0.1: set AUTHZ_USERNAME"],
    ["that are empty are none", "", { ...administrator, AUTHZ_PASSWORD: "" }, "set AUTHZ_PASSWORD, or write it into a netrc file"],
    ["with a colon in the name cannot be", "--username=a:b --password=c", {}, "a username cannot hold a colon"],
    [
      "of a netrc file that is not there are none",
      "",
      { NETRC: "DIR/nothing" },
      "warning: the netrc file `DIR/nothing` cannot be read: ENOENT",
    ],
  ])("%s", async (_sentence, flags, environment, why) => {
    const ended = await ask(flags, environment);
    if (why === undefined) return expect(ended).toEqual({ code: 0, out: "", err: "" });
    expect([ended.code, ended.out]).toEqual([1, ""]);
    expect(ended.err).toContain(inFolder(why));
    for (const secret of [password, "theirs", Buffer.from(`${username}:${password}`).toString("base64")])
      expect(ended.err).not.toContain(secret);
  });

  test("by their names in Cerbos are not read, and that is told", async () => {
    const former = { CERBOS_SERVER: "pdp:3593", CERBOS_USERNAME: username, CERBOS_PASSWORD: password };
    const { code, err } = await ctl(["get", "schemas", "--plaintext"], { environment: { ...former, NETRC: join(folder, "netrc-other") } });
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(
        /^warning: CERBOS_SERVER is not read: set AUTHZ_SERVER\nwarning: CERBOS_USERNAME is not read: set AUTHZ_USERNAME\nwarning: CERBOS_PASSWORD is not read: set AUTHZ_PASSWORD\nauthzctl: error: no username is given for localhost: [^\n]+\n$/,
      ),
    ]);
    expect(err).not.toContain(password);
  });

  test("that others can read in a netrc file are used, and that is told", async () => {
    const file = join(folder, "netrc-open");
    writeFileSync(file, `machine 127.0.0.1 login ${username} password ${password}\n`);
    chmodSync(file, 0o644);
    const { code, err } = await ask("", { NETRC: file });
    expect([code, err]).toEqual([0, `warning: others on this machine can read the passwords in \`${file}\`: chmod 600 it\n`]);
  });

  test("are asked for at a terminal, where nobody sees them", async () => {
    let isRaw = false;
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => void (isRaw = on) });
    // Whatever is typed before the terminal is told to show nothing would be seen.
    const type = (): void => void (isRaw ? input.write(`${password}\r`) : setImmediate(type));
    type();
    const { code, out, err } = await ask(`--username=${username}`, {}, input);
    expect([code, out, err]).toEqual([0, "", "Password of boss at 127.0.0.1: \n"]);
  });

  test("reach no server that does not administer", async () => {
    const closed = await startAdministered({ settings: { ...administered, "server.adminAPI.enabled": false } });
    try {
      const { code, err } = await closed.ctl(["get", "rp"]);
      expect([code, err]).toEqual([1, expect.stringContaining("the administration API is disabled (setting server.adminAPI.enabled)")]);
    } finally {
      await closed.stop();
    }
  });
});

describe("netrc", () => {
  test.each([
    ["machine a login b password c", "a", { login: "b", password: "c" }],
    ["machine x login no\nmachine a password c login b", "a", { login: "b", password: "c" }],
    ['machine a login "b c" password "d\\"e"', "a", { login: "b c", password: 'd"e' }],
    ["# machine a login no\nmachine a login b", "a", { login: "b", password: undefined }],
    ["machine a account z login b password #c", "a", { login: "b", password: "#c" }],
    ["default login b", "anything", { login: "b", password: undefined }],
    ["machine x login default password machine\nmachine a login b", "a", { login: "b", password: undefined }],
    ["machine b login a", "a", undefined],
    ["", "a", undefined],
  ])("%j says of %s: %j", (text, machine, entry) => {
    expect(findMachine(text, machine)).toEqual(entry);
  });
});

describe("a server that", () => {
  const listeners: Server[] = [];
  const sockets = new Set<Socket>();
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    for (const listener of listeners) listener.close();
  });
  const listen = (answer: (socket: Socket) => void): Promise<string> =>
    new Promise((resolve) => {
      const listener = createServer((socket) => {
        sockets.add(socket.on("error", () => undefined));
        answer(socket);
      });
      listeners.push(listener);
      listener.listen(0, "127.0.0.1", () => {
        const address = listener.address();
        resolve(`127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`);
      });
    });
  const ask = (server: string, ...more: readonly string[]) =>
    ctl(["get", "rp", "--plaintext", `--server=${server}`, ...more], { environment: administrator });

  test("is not there is told apart from one that does not answer", async () => {
    const gone = await listen(() => undefined);
    await new Promise((resolve) => listeners.pop()?.close(resolve));
    expect(await ask(gone)).toEqual({ code: 1, out: "", err: `authzctl: error: ${gone} cannot be reached: nothing listens there\n` });
  });

  test("hangs is given up", async () => {
    const silent = await listen(() => undefined);
    const err = `authzctl: error: ${silent} did not answer within 300ms (--timeout says how long to wait)\n`;
    expect(await ask(silent, "--timeout=300ms")).toEqual({ code: 1, out: "", err });
    const audit = ["audit", "--plaintext", `--server=${silent}`, "--timeout", "300ms"];
    expect(await ctl(audit, { environment: administrator })).toEqual({ code: 1, out: "", err });
  });

  test("speaks something else is told", async () => {
    const other = await listen((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const { code, out, err } = await ask(other);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^authzctl: error: 127\.0\.0\.1:\d+ .+\n$/);
  });

  test("has a name that nobody knows", async () => {
    const { code, err } = await ask("nobody.invalid:3593", "--timeout=20s");
    expect([code, err]).toEqual([1, "authzctl: error: nobody.invalid:3593 cannot be reached: its name is not known\n"]);
  });

  test("answers that it cannot is not called out of reach", async () => {
    const policies = temporaryFolder({});
    const server = await startAdministered({ policies }, "disk");
    try {
      rmSync(policies, { recursive: true });
      const { code, err } = await server.ctl(["get", "rp"]);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/^authzctl: error: the policies directory `.*` does not exist \(setting storage\.disk\.directory\)\n$/),
      ]);
      for (let tried = 0; tried < 10; tried++) await server.ctl(["get", "rp"], { environment: { AUTHZ_PASSWORD: "wrong" } });
      for (const command of [["get", "rp"], ["audit"]])
        expect(await server.ctl(command)).toEqual({
          code: 1,
          out: "",
          err: expect.stringMatching(/^authzctl: error: too many failed logins.*\n$/),
        });
    } finally {
      await server.stop();
    }
  });

  test("listens on a socket file", async () => {
    const path = join(folder, "grpc.sock");
    const server = await startAdministered({ settings: { "server.grpcListenAddr": `unix:${path}` } });
    try {
      for (const address of [`unix:${path}`, `unix://${path}`])
        expect(await ctl(["get", "s", "--plaintext"], { environment: { ...administrator, AUTHZ_SERVER: address } })).toEqual({
          code: 0,
          out: "SCHEMA ID\n",
          err: "",
        });
      const { err } = await ctl(["get", "s", "--plaintext", `--server=unix:${path}.no`], { environment: administrator });
      expect(err).toBe(`authzctl: error: unix:${path}.no cannot be reached: there is no such socket\n`);
    } finally {
      await server.stop();
    }
  });
});
