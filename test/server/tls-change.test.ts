/** Certificates change while serving: both listeners follow, and nobody notices but those who look. */
import { execFileSync, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { makeAuthority, type Pair } from "./certificates.ts";
import { eventually, startServer, temporaryFolder, type TestServer } from "./harness.ts";
import { withoutFiles } from "../src/without-files.ts";
import { expensePolicy } from "./policies.ts";
import { ask, authority, call, callGrpc, fingerprints, grpcClient, identity, portOf } from "./tls-client.ts";

const names = ["127.0.0.1", "localhost"];
const own = authority.issue({ names });
const next = authority.issue({ names });
const folder = temporaryFolder({});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const policies = { "expense.yaml": expensePolicy };

const endOf = ({ certificate }: Pair): string => new Date(new X509Certificate(certificate).validTo).toISOString();

describe("certificates change while serving:", () => {
  let server: TestServer | undefined;
  afterEach(() => server?.stop());
  const live = join(folder, "live");
  const settings = { "server.tls.cert": `${live}/tls.crt`, "server.tls.key": `${live}/tls.key` };
  const write = (pair: Pair): void => {
    mkdirSync(live, { recursive: true });
    writeFileSync(join(live, "tls.crt"), pair.certificate);
    writeFileSync(join(live, "tls.key"), pair.key);
  };
  const says = (started: TestServer, text: string): Promise<unknown> =>
    eventually(
      () => started.logged(),
      (lines) => lines.some((line) => String(line["message"]).includes(text)),
    );

  test("both listeners have the new pair, and connections that stand go on", async () => {
    write(own);
    server = await startServer({ policies, settings });
    const started = server;
    const standing = connectHttp2(`https://${portOf(server)}`, { ca: authority.certificate });
    const before = await fingerprints(server);
    write(next);
    await eventually(
      () => fingerprints(started),
      (now) => now.every((print, at) => print !== before[at]),
    );
    const stream = standing.request({ ":path": "/_authz/health" });
    expect(await new Promise((resolve) => stream.on("response", (headers) => resolve(headers[":status"])))).toBe(200);
    standing.close();
  });

  test("a pair that does not fit leaves the one before in force, and is told once", async () => {
    write(own);
    server = await startServer({ policies, settings });
    const before = await fingerprints(server);
    writeFileSync(join(live, "tls.crt"), next.certificate);
    await says(server, "the changed TLS files cannot be used, the previous certificate stays in use");
    expect(await fingerprints(server)).toEqual(before);
    writeFileSync(join(live, "tls.key"), next.key);
    await says(server, "is in force");
    expect(await fingerprints(server)).not.toEqual(before);
    const errors = server.logged().filter((line) => line["log.level"] === "error");
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).not.toContain("PRIVATE KEY");
  });

  test.runIf(process.platform === "linux")("a pair that comes while too many files are open is in force when there are fewer", async () => {
    write(own);
    server = await startServer({ policies, settings });
    const started = server;
    const before = await fingerprints(server);
    write(next);
    await withoutFiles(() => says(started, "cannot be read: EMFILE"));
    await says(server, "is in force");
    expect(await fingerprints(server)).not.toEqual(before);
    expect(server.logged().filter((line) => line["log.level"] === "error")).toHaveLength(1);
  });

  test("a link that is pointed at another folder counts as a change", async () => {
    const linked = join(folder, "linked");
    for (const [at, pair] of [own, next].entries()) {
      mkdirSync(join(linked, `v${at}`), { recursive: true });
      writeFileSync(join(linked, `v${at}`, "tls.crt"), pair.certificate);
      writeFileSync(join(linked, `v${at}`, "tls.key"), pair.key);
    }
    symlinkSync("v0", join(linked, "data"));
    server = await startServer({
      policies,
      settings: { "server.tls.cert": `${linked}/data/tls.crt`, "server.tls.key": `${linked}/data/tls.key` },
    });
    const started = server;
    const before = await fingerprints(server);
    symlinkSync("v1", join(linked, "data.new"));
    renameSync(join(linked, "data.new"), join(linked, "data"));
    await eventually(
      () => fingerprints(started),
      (now) => now.every((print, at) => print !== before[at]),
    );
  });

  test("not one request is lost", async () => {
    write(own);
    server = await startServer({ policies, settings });
    const started = server;
    const before = await fingerprints(server);
    const client = grpcClient(server.grpc, {});
    const load = { going: true };
    let [asked, answered] = [0, 0];
    const keepAsking = async (way: () => Promise<boolean>): Promise<void> => {
      while (load.going) {
        asked += 1;
        if (await way()) answered += 1;
      }
    };
    const askers = [
      ...Array.from({ length: 4 }, () => keepAsking(() => ask(started, {}).then(({ status }) => status === 200))),
      ...Array.from({ length: 4 }, () => keepAsking(() => call(client).then((code) => code === 0))),
    ];
    for (const pair of [next, own, next]) {
      write(pair);
      const known = started.logged().length;
      await eventually(
        () => started.logged().slice(known),
        (lines) => lines.some((line) => String(line["message"]).includes("is in force")),
      );
    }
    load.going = false;
    await Promise.all(askers);
    client.close();
    expect(await fingerprints(server)).not.toEqual(before);
    expect(asked).toBeGreaterThan(0);
    expect(answered).toBe(asked);
  });

  test("whose clients are let in follows, too, and nobody else is let in before or after", async () => {
    const other = makeAuthority("Another Authority");
    const [known, knownLater] = [authority.issue({ names, client: true }), other.issue({ names, client: true })];
    write(own);
    writeFileSync(join(live, "ca.crt"), authority.certificate);
    server = await startServer({ policies, settings: { ...settings, "server.tls.caCert": `${live}/ca.crt` } });
    const started = server;
    const letIn = async (): Promise<readonly boolean[]> => {
      const found = [];
      for (const pair of [known, knownLater, undefined])
        found.push(
          await ask(started, identity(pair)).then(
            ({ status }) => status === 200,
            () => false,
          ),
          (await callGrpc(started.grpc, identity(pair))) === 0,
        );
      return found;
    };
    expect(await letIn()).toEqual([true, true, false, false, false, false]);
    write(next);
    await says(server, "is in force");
    expect(await letIn()).toEqual([true, true, false, false, false, false]);
    writeFileSync(join(live, "ca.crt"), other.certificate);
    await eventually(letIn, ([, , isLetIn]) => isLetIn === true);
    expect(await letIn()).toEqual([false, false, true, true, false, false]);
  });

  test("one whose time is over leaves a valid one in force, until one comes that is valid", async () => {
    write(own);
    server = await startServer({ policies, settings });
    const before = await fingerprints(server);
    write(authority.issue({ names, expired: true }));
    await says(
      server,
      `the changed TLS files cannot be used, the previous certificate stays in use (valid until ${endOf(own)}): the certificate \`${live}/tls.crt\` expired at `,
    );
    expect(await fingerprints(server)).toEqual(before);
    write(next);
    await says(server, "is in force");
    expect(await fingerprints(server)).not.toEqual(before);
  });

  test("one whose time has not come leaves a valid one in force, and follows it when it has", async () => {
    write(own);
    server = await startServer({ policies, settings });
    const started = server;
    const before = await fingerprints(server);
    const from = new Date(Math.ceil(Date.now() / 1000) * 1000 + 2000);
    write(authority.issue({ names, from }));
    await says(server, `the certificate \`${live}/tls.crt\` is not valid before ${from.toISOString()}, and comes into force then`);
    expect(await fingerprints(server)).toEqual(before);
    await says(server, "is in force");
    expect(Date.now()).toBeGreaterThanOrEqual(from.getTime());
    await eventually(
      () => fingerprints(started),
      (now) => now.every((print, at) => print !== before[at]),
    );
  });

  test("a pipe in the place of the key is not waited for, and leaves the pair before in force", async () => {
    write(own);
    server = await startServer({ policies, settings });
    const before = await fingerprints(server);
    execFileSync("mkfifo", [join(live, "pipe")]);
    renameSync(join(live, "pipe"), join(live, "tls.key"));
    await says(server, `the key file \`${live}/tls.key\` is not a regular file any more (setting server.tls.key)`);
    expect(await fingerprints(server)).toEqual(before);
    rmSync(join(live, "tls.key"));
    write(next);
    await says(server, "is in force");
    expect(await fingerprints(server)).not.toEqual(before);
  });

  test("a pipe in the place of the key from the start is read once, which is said then, and never tried again", async () => {
    rmSync(live, { recursive: true, force: true });
    write(own);
    rmSync(join(live, "tls.key"));
    execFileSync("mkfifo", [join(live, "tls.key")]);
    const writer = spawn("sh", ["-c", 'printf %s "$1" > "$2"', "sh", own.key, join(live, "tls.key")], { stdio: "ignore" });
    server = await startServer({ policies, settings });
    const before = await fingerprints(server);
    expect(writer.exitCode).toBe(0);
    const told = (): readonly unknown[] =>
      server
        ?.logged()
        .filter((line) => /tls\.key|TLS files/.test(String(line["message"])))
        .map((line) => line["message"]) ?? [];
    const warned = `the key file \`${live}/tls.key\` is not a regular file: it is read once, now, and a change of it takes a restart (setting server.tls.key)`;
    // Somebody writes to it once more, which changes its times: for longer than the files stay unlooked at, nothing is said.
    const again = spawn("sh", ["-c", 'printf x > "$1"', "sh", join(live, "tls.key")], { stdio: "ignore" });
    execFileSync("head", ["-c", "1", join(live, "tls.key")]);
    await new Promise((resolve) => setTimeout(resolve, 1600));
    expect(again.exitCode).toBe(0);
    expect(told()).toEqual([warned]);
    // A certificate that changes beside it has no key.
    writeFileSync(join(live, "tls.crt"), next.certificate);
    await says(server, `the key file \`${live}/tls.key\` is not a regular file, and is read at the start alone (setting server.tls.key)`);
    expect(await fingerprints(server)).toEqual(before);
    rmSync(join(live, "tls.key"));
    write(next);
    await says(server, "is in force");
    expect(await fingerprints(server)).not.toEqual(before);
  });

  test("one whose time has not come follows one whose time is over, as soon as it is", async () => {
    write(authority.issue({ names, until: new Date(Date.now() + 5000) }));
    server = await startServer({ policies, settings });
    write(authority.issue({ names, from: new Date(Date.now() + 3_600_000) }));
    await says(server, "is in force");
  });

  test("one whose time is over follows another whose time is over, and that is told of each", async () => {
    write(authority.issue({ names, expired: true }));
    server = await startServer({ policies, settings });
    const started = server;
    write(authority.issue({ names, expired: true }));
    await says(server, "is in force");
    await eventually(
      () => started.logged().filter((line) => line["log.level"] === "warn"),
      (warnings) => warnings.length === 2,
    );
  });

  test("one whose time is over is told in a warning", async () => {
    write(authority.issue({ names, expired: true }));
    server = await startServer({ policies, settings });
    expect(server.logged().filter((line) => line["log.level"] === "warn")).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^the certificate `.*tls\.crt` expired at \d{4}-/) }),
    ]);
  });
});
