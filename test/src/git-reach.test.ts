/** The ways to reach a repository: TLS with an authority of one's own, redirections, folders; and who gets to know credentials. */
import { chmodSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import type { TlsOptions } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { makeAuthority, type CertificateOptions } from "../server/certificates.ts";
import { openGitFixture } from "../git/fixture.ts";
import { openStore, seen, type GitSettings } from "../git/open-store.ts";
import { makeRepository, type Repository } from "../git/repository.ts";

const { cache, serve, open, closeLater } = openGitFixture();
const after: (() => unknown)[] = [];
afterEach(async () => {
  for (const put of after.splice(0)) await put();
});
const failure = async (reading: Promise<unknown>): Promise<string> => await reading.then(() => "no failure", String);

/** Listens, until the test has ended; returns the settings of a repository there. */
async function served(server: Server): Promise<GitSettings> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  after.push(() => server.close());
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/policies.git`,
    protocol: "https",
    checkoutDir: join(cache(), "x"),
  };
}

describe("TLS", () => {
  test("is trusted by the authority that is named, and by no other", async () => {
    const server = await serve({ tls: true, files: { "a.yaml": "a" } });
    const [ours, other] = [join(cache(), "ours.pem"), join(cache(), "other.pem")];
    writeFileSync(ours, server.caCert);
    writeFileSync(other, makeAuthority().certificate);
    expect(seen(await open({ "https.caCert": ours }).read())).toEqual({ changed: { "a.yaml": "a" } });
    const elsewhere = { checkoutDir: join(cache(), "x") };
    expect(await failure(open(elsewhere).read())).toMatch(
      /its certificate is not signed by a trusted authority \(\w+\): name its authority in storage\.git\.https\.caCert$/,
    );
    expect(await failure(open({ ...elsewhere, "https.caCert": other }).read())).toMatch(/is not signed by a trusted authority/);
    expect(await failure(open({ ...elsewhere, "https.caCert": ours, url: server.url.replace("127.0.0.1", "127.0.0.2") }).read())).toMatch(
      /ERR_TLS_CERT_ALTNAME_INVALID|ECONNREFUSED/,
    );
    expect(await failure(open({ ...elsewhere, "https.caCert": join(cache(), "none") }).read())).toContain(
      "do not exist (setting storage.git.https.caCert)",
    );
    writeFileSync(other, "no certificate");
    expect(await failure(open({ ...elsewhere, "https.caCert": other }).read())).toContain(
      "holds no certificate (PEM) (setting storage.git.https.caCert)",
    );
    writeFileSync(other, "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n");
    expect(await failure(open({ ...elsewhere, "https.caCert": other }).read())).toContain("Refusal");
    expect(server.requests.length).toBe(3);
  });

  const ours = makeAuthority();
  const names = ["127.0.0.1"];
  const tomorrow = new Date(Date.now() + 86_400_000);
  test.each<[what: string, server: CertificateOptions & TlsOptions, why: string]>([
    [
      "has a certificate that has expired",
      { names, expired: true },
      "has expired (CERT_HAS_EXPIRED): renew it there; or is this machine's clock wrong?",
    ],
    [
      "has a certificate of tomorrow",
      { names, from: tomorrow, until: new Date(tomorrow.getTime() + 86_400_000) },
      "is not valid yet (CERT_NOT_YET_VALID)",
    ],
    [
      "has one for another host",
      { names: ["git.example.org"] },
      "is for another host (ERR_TLS_CERT_ALTNAME_INVALID): write a host that the certificate names",
    ],
    ["has one for clients", { names, client: true }, "is not one for servers (INVALID_PURPOSE): its extendedKeyUsage must name serverAuth"],
    [
      "knows only older TLS",
      { names, minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
      "(tlsv1 alert protocol version): 1.2 is the oldest",
    ],
    [
      "asks for a certificate",
      { names, requestCert: true, rejectUnauthorized: true },
      "it asks for a client certificate (tlsv13 alert certificate required)",
    ],
    [
      "has other ciphers",
      { names, maxVersion: "TLSv1.2", ciphers: "ECDHE-RSA-AES128-GCM-SHA256" },
      "alert handshake failure): it shares no cipher with this server, or asks for a client certificate",
    ],
  ])(
    "a server that %s is told apart from one of an unknown authority",
    async (_what, { names: hosts, client, expired, from, until, ...rest }, why) => {
      const about = {
        names: hosts,
        ...(client && { client }),
        ...(expired && { expired }),
        ...(from && { from }),
        ...(until && { until }),
      };
      const { certificate: cert, key } = ours.issue(about);
      const ca = join(cache(), "ours.pem");
      writeFileSync(ca, ours.certificate);
      const server = createTlsServer({ cert, key, ca: ours.certificate, ...rest }, (_request, response) => void response.end());
      expect(await failure(open({ ...(await served(server)), "https.caCert": ca }).read())).toContain(why);
    },
  );

  test("a server without it is told as such", async () => {
    const server = createServer((_request, response) => void response.end());
    expect(await failure(open(await served(server)).read())).toMatch(
      /it answers without TLS \(wrong version number\): is that the port for https \(setting storage\.git\.url\)\?$/,
    );
  });

  test("a bit that is flipped on the way is noticed", async () => {
    const server = await serve({ tls: true, files: { "a.yaml": "a" } });
    const ca = join(cache(), "ours.pem");
    writeFileSync(ca, server.caCert);
    const store = open({ "https.caCert": ca });
    await store.read();
    await server.commit({ "a.yaml": "a2" });
    await server.setFault({ kind: "flip", at: 1500 });
    expect(await failure(store.read())).toContain("Refusal");
    await server.setFault({ kind: "none" });
    expect(seen(await store.read())).toEqual({ changed: { "a.yaml": "a2" } });
  });
});

test("a server whose greeting has no end is given up", async () => {
  const pack = (text: string): string => `${(text.length + 4).toString(16).padStart(4, "0")}${text}`;
  let sent = 0;
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" });
    response.write(pack("version 2\n"));
    const more = (): void => {
      // Twice what is read of it: without a bound the test would end elsewhere.
      while (sent < 128 && !response.destroyed) {
        sent += 1;
        if (!response.write(pack(`${sent}`.padEnd(2 ** 14)).repeat(64))) return void response.once("drain", more);
      }
      response.end();
    };
    more();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  after.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/policies.git`;
  expect(await failure(open({ url, protocol: "http", checkoutDir: join(cache(), "x") }).read())).toContain(
    "the server sends more than 67108864 bytes",
  );
});

describe("credentials", () => {
  const told: string[] = [];
  const listen = async (answer: (request: IncomingMessage) => { readonly status: number; readonly location?: string }): Promise<string> => {
    const server = createServer((request, response) => {
      told.push(`${request.url} ${request.headers.authorization ?? "nobody"}`);
      const { status, location } = answer(request);
      response.writeHead(status, location === undefined ? {} : { location }).end();
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    after.push(() => server.close());
    // A TCP server's address has a port.
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const question = "/info/refs?service=git-upload-pack";

  test("go to the configured server alone: a redirection to another is not followed", async () => {
    told.length = 0;
    const thief = await listen(() => ({ status: 200 }));
    const honest = await listen(() => ({ status: 302, location: `${thief}/x.git${question}` }));
    const store = openStore({
      protocol: "http",
      url: `${honest}/x.git`,
      "https.username": "ann",
      "https.password": "secret",
      checkoutDir: cache(),
    });
    closeLater(store);
    expect(await failure(store.read())).toContain("the server redirects to another place, which is not followed");
    expect(told).toEqual([`/x.git${question} Basic ${Buffer.from("ann:secret").toString("base64")}`]);
  });

  test("go along within the server: a repository that was renamed is found", async () => {
    const server = await serve({ files: { "a.yaml": "a" } });
    const port = new URL(server.url).port;
    await server.setFault({ kind: "status", status: 301, headers: { location: `http://127.0.0.1:${port}/new.git${question}` } });
    expect(await failure(open().read())).toContain("redirects more than 3 times");
    for (const location of [
      "http://[",
      "/other",
      `https://127.0.0.1:${port}/new.git${question}`,
      `http://ann:x@127.0.0.1:${port}/new.git${question}`,
    ]) {
      await server.setFault({ kind: "status", status: 301, headers: { location } });
      expect(await failure(open().read())).toContain("which is not followed");
    }
  });

  test("may stand in the address, and are shown nowhere", async () => {
    const server = await serve({ files: { "a.yaml": "a" } });
    const url = new URL(server.url);
    [url.username, url.password] = [server.username, server.password];
    const given = { "https.username": "", "https.password": "", url: url.href };
    const store = open(given);
    expect(seen(await store.read())).toEqual({ changed: { "a.yaml": "a" } });
    const shown = [store.name];
    for (const fault of [{ kind: "down" }, { kind: "reset" }, { kind: "garbage" }, { kind: "status", status: 401 }] as const) {
      await server.setFault(fault);
      shown.push(await failure(store.read()), (await open(given).read()).staleBecause ?? "");
    }
    for (const text of shown)
      for (const secret of ["s3cr3t", encodeURIComponent(server.password), url.password]) expect(text).not.toContain(secret);
    const kept = readdirSync(cache(), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    expect([kept.length > 2, kept.filter((text) => text.includes("s3cr3t"))]).toEqual([true, []]);
  });
});

describe("a folder", () => {
  const repositoryAt = async (files: { readonly [path: string]: string } = { "a.yaml": "a", "p/b.yaml": "b" }): Promise<Repository> => {
    const repository = await makeRepository();
    after.push(repository.remove);
    await repository.commit(files);
    return repository;
  };
  const openFolder = (url: string, given = {}): Store => {
    const store = openStore({ protocol: "file", url, checkoutDir: join(cache(), "copies"), ...given });
    closeLater(store);
    return store;
  };

  test.each<[string, (repository: Repository) => Promise<string> | string]>([
    ["a path", ({ path }) => path],
    ["a URL", ({ path }) => `file://${path}`],
    ["packed", async ({ path, git }) => (await git("gc", "--quiet", "--aggressive"), path)],
    ["with packed branches", async ({ path, git }) => (await git("pack-refs", "--all"), path)],
    ["with a working tree", async ({ path, git }) => (await git("clone", "--quiet", path, `${path}-tree`), `${path}-tree`)],
    [
      "a working tree's other place",
      async ({ path, git }) => (
        await git("clone", "--quiet", path, `${path}-tree`),
        await git("-C", `${path}-tree`, "worktree", "add", "--quiet", "-b", "side", `${path}-side`),
        `${path}-side`
      ),
    ],
    [
      "that borrows its objects",
      async ({ path, git }) => (await git("clone", "--quiet", "--bare", "--shared", path, `${path}-shared`), `${path}-shared`),
    ],
    [
      "that borrows objects from one that borrows them",
      async ({ path, git }) => {
        await git("clone", "--quiet", "--bare", "--shared", path, `${path}-1`);
        for (const to of [2, 3, 4, 5]) await git("clone", "--quiet", "--bare", "--shared", `${path}-${to - 1}`, `${path}-${to}`);
        return `${path}-5`;
      },
    ],
    [
      "that was cloned in part, and has what it takes",
      async ({ path, git }) => {
        await git("config", "uploadpack.allowFilter", "true");
        await git("clone", "--quiet", "--filter=blob:none", `file://${path}`, `${path}-part`);
        return `${path}-part`;
      },
    ],
    ["that borrows from itself", async ({ path }) => (writeFileSync(join(path, "objects/info/alternates"), join(path, "objects")), path)],
    [
      "whose settings say what would be so without them",
      async ({ path, git }) => {
        await git("config", "core.repositoryFormatVersion", "1");
        await git("config", "extensions.objectFormat", "sha1");
        return path;
      },
    ],
    [
      "shallow",
      async ({ path, git }) => (
        await git("clone", "--quiet", "--bare", "--depth=1", `file://${path}`, `${path}-shallow`),
        `${path}-shallow`
      ),
    ],
  ])("%s is read without a git command, and changes are taken in", async (_, prepare) => {
    const repository = await repositoryAt();
    const store = openFolder(await prepare(repository));
    expect(seen(await store.read())).toEqual({ changed: { "a.yaml": "a", "p/b.yaml": "b" } });
    expect(seen(await store.read())).toEqual({});
  });

  test("changes, packed or not, are the difference; when it is gone, the copy is used", async () => {
    const repository = await repositoryAt();
    const store = openFolder(repository.path);
    await store.read();
    await repository.commit({ "a.yaml": "a2" });
    expect(seen(await store.read())).toEqual({ changed: { "a.yaml": "a2" } });
    await repository.commit({ "p/b.yaml": "b2" }, { force: "amend" });
    await repository.git("reflog", "expire", "--expire=now", "--all");
    await repository.git("gc", "--quiet", "--prune=now");
    expect(seen(await store.read())).toEqual({ changed: { "a.yaml": "a", "p/b.yaml": "b2" } });
    renameSync(repository.path, `${repository.path}-away`);
    expect(await failure(store.read())).toContain("the folder does not exist (setting storage.git.url)");
    expect(await openFolder(repository.path).read()).toMatchObject({ staleBecause: expect.stringContaining("does not exist") });
    renameSync(`${repository.path}-away`, repository.path);
    expect(seen(await store.read())).toEqual({});
  });

  test.each([20, 60, 180])("that is not read within %d ms is read whole later, or not at all", async (milliseconds) => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}.yaml`, `${index}`]));
    const repository = await repositoryAt(files);
    const store = openFolder(repository.path, { operationTimeout: milliseconds });
    const readings: object[] = [];
    for (let time = 0; time < 3 && readings.length === 0; time++) {
      await store.read().then(
        (changes) => readings.push(seen(changes)),
        () => undefined,
      );
      await new Promise((resolve) => setTimeout(resolve, 1000)); // what was begun may end
    }
    for (const reading of readings) expect(reading).toEqual({ changed: files });
  });

  test.each<[string, (repository: Repository) => Promise<string> | string, string]>([
    ["that is not there", ({ path }) => `${path}-not`, "the folder does not exist"],
    ["that is no repository", ({ path }) => join(path, "objects"), "the folder is not a git repository"],
    [
      "that leads in a circle",
      ({ path }) => (symlinkSync(`${path}-round`, `${path}-round`), `${path}-round`),
      "the folder cannot be read (ELOOP)",
    ],
    [
      "whose head cannot be read",
      ({ path }) => (renameSync(join(path, "HEAD"), join(path, "away")), symlinkSync("HEAD", join(path, "HEAD")), path),
      "the folder cannot be read (ELOOP)",
    ],
    ["without the branch", async ({ path, git }) => (await git("branch", "-m", "master", "main"), path), "did you mean `main`?"],
    [
      "whose objects are damaged",
      async ({ path, git }) => {
        const id = await git("rev-parse", "master:a.yaml");
        const file = join(path, "objects", id.slice(0, 2), id.slice(2));
        chmodSync(file, 0o600);
        writeFileSync(file, "damaged");
        return path;
      },
      "it is damaged: the object",
    ],
    [
      "that was cloned in part",
      async ({ path, git }) => {
        await git("config", "uploadpack.allowFilter", "true");
        await git("clone", "--quiet", "--bare", "--filter=blob:none", `file://${path}`, `${path}-part`);
        return `${path}-part`;
      },
      "the folder is a partial clone, and the object",
    ],
    [
      "whose objects are called otherwise",
      async ({ path, git }) => (await git("init", "--quiet", "--bare", "--object-format=sha256", `${path}-256`), `${path}-256`),
      "not named by sha1",
    ],
  ])("%s is refused in words", async (_, prepare, message) => {
    const repository = await repositoryAt();
    expect(await failure(openFolder(await prepare(repository)).read())).toContain(message);
  });
});
