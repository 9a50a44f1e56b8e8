/** A reload of a store at another place that cannot be had: who may ask again is told so, and nobody is told a secret. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Fault as NetworkFault } from "../git/faulty-proxy.ts";
import { startGitServer, type GitServer, type HttpFault } from "../git/server.ts";
import { buildBundle, makeKeys, startBundleServer, type BundleServer, type Fault } from "../bundle/server.ts";
import { ask, check, close, enabled, open, type Opened } from "./admin-harness.ts";
import { temporaryFolder } from "./harness.ts";
import { expensePolicy } from "./policies.ts";

/** Statuses over HTTP and gRPC: to ask again may help, or somebody has to mend something first. */
const passing = [503, 14] as const;
const lasting = [500, 13] as const;

let opened: Opened;
/** What a reload is answered over each transport; the policies stay what they are. */
async function reload(): Promise<readonly (readonly [status: unknown, code: unknown, message: string])[]> {
  const answers = await Promise.all([opened.http, opened.grpc].map((channel) => ask(channel, "ReloadStore", { wait: true })));
  expect(await check(opened, "expense", { amount: 1 })).toBe("EFFECT_ALLOW");
  return answers.map(({ status, body }) => {
    const message = body?.["message"];
    return [status, body?.["code"], typeof message === "string" ? message : ""] as const;
  });
}
const expected = ([http, code]: typeof passing | typeof lasting, says: string): object => {
  const message = expect.stringContaining(says);
  return [
    [http, code, message],
    [code, code, message],
  ];
};

/** How the sentence ends when to ask again may help, and when not. */
const ending = (kind: typeof passing | typeof lasting): RegExp =>
  kind === passing ? /; the last good policies stay in force: ask again$/ : /; the last good policies stay in force$/;

describe("a git repository", () => {
  let git: GitServer;
  let folder: string;
  beforeAll(async () => {
    git = await startGitServer({ files: { "expense.yaml": expensePolicy } });
    folder = temporaryFolder({});
    const address = new URL(git.url);
    [address.username, address.password] = [git.username, git.password];
    opened = await open({
      policies: {},
      settings: {
        ...enabled,
        "storage.driver": "git",
        "storage.git.protocol": "http",
        "storage.git.url": address.href,
        "storage.git.checkoutDir": folder,
        "storage.git.operationTimeout": "1s",
      },
    });
  });
  afterAll(async () => {
    await close(opened);
    await git.close();
    rmSync(folder, { recursive: true });
  });

  test.each<[sentence: string, fault: NetworkFault | HttpFault, status: typeof passing | typeof lasting, says: string]>([
    ["where nobody listens", { kind: "down" }, passing, "it cannot be reached (ECONNREFUSED)"],
    ["where nobody answers", { kind: "hang" }, passing, "there is no answer within 1s"],
    ["whose connections are reset", { kind: "reset" }, passing, "it cannot be reached (ECONNRESET)"],
    ["whose answer breaks off", { kind: "cut", after: 20 }, passing, "ECONNRESET"],
    ["whose server has broken down", { kind: "status", status: 500 }, passing, "the server answers with status 500"],
    ["whose server is overloaded", { kind: "status", status: 503 }, passing, "the server answers with status 503"],
    ["whose server is asked too often", { kind: "status", status: 429 }, passing, "the server answers with status 429"],
    ["that refuses the credentials", { kind: "status", status: 401 }, lasting, "status 401: the credentials are not accepted (settings"],
    ["that forbids reading", { kind: "status", status: 403 }, lasting, "status 403: the credentials are not accepted (settings"],
    ["that is gone", { kind: "status", status: 404 }, lasting, "status 404: there is no such repository"],
    ["in whose place there are pages", { kind: "garbage" }, lasting, "it is not a git repository served over HTTP"],
  ])("%s", async (_sentence, fault, status, says) => {
    await git.setFault(fault);
    const answers = await reload();
    expect(answers).toEqual(expected(status, says));
    for (const [, , message] of answers) {
      expect(message).toMatch(/^the git repository `http:\/\/\S*127\.0\.0\.1:\d+\/policies\.git` \(branch `\w+`\): /);
      expect(message).toMatch(ending(status));
      expect(message).not.toMatch(/s3cr3t|colon/);
    }
    await git.setFault({ kind: "none" });
    expect((await reload()).map(([answered]) => answered)).toEqual([200, 0]);
  });
});

describe("a repository without the branch", () => {
  test("is for the operator to mend, and the branch that is meant is named", async () => {
    const git = await startGitServer({ files: { "expense.yaml": expensePolicy }, branch: "main" });
    const folder = temporaryFolder({});
    opened = await open({
      policies: {},
      settings: {
        ...enabled,
        "storage.driver": "git",
        "storage.git.protocol": "http",
        "storage.git.url": git.url,
        "storage.git.branch": "main",
        "storage.git.https.username": git.username,
        "storage.git.https.password": git.password,
        "storage.git.checkoutDir": folder,
      },
    });
    await git.repository.git("branch", "-m", "mainn");
    const answers = await reload();
    expect(answers).toEqual(expected(lasting, "it has no branch `main` (setting storage.git.branch): did you mean `mainn`?"));
    for (const [, , message] of answers) expect(message).toMatch(ending(lasting));
    await close(opened);
    await git.close();
    rmSync(folder, { recursive: true });
  });
});

describe("a bundle", () => {
  const keys = makeKeys();
  let remote: BundleServer;
  let folder: string;
  beforeAll(async () => {
    remote = await startBundleServer({
      path: "/policies/bundle.mjs?signature=s3cr3t",
      credentials: { username: "ann", password: "s3cr3t" },
    });
    remote.publish(buildBundle({ "expense.yaml": expensePolicy }, keys));
    folder = temporaryFolder({});
    opened = await open({
      policies: {},
      settings: {
        ...enabled,
        "storage.driver": "bundle",
        "storage.bundle.url": remote.url,
        "storage.bundle.username": "ann",
        "storage.bundle.password": "s3cr3t",
        "storage.bundle.caCert": remote.caCert,
        "storage.bundle.publicKeys": keys.publicKeyFile,
        "storage.bundle.operationTimeout": "1s",
        "storage.bundle.cacheDir": join(folder, "cache"),
      },
    });
  });
  afterAll(async () => {
    await close(opened);
    await remote.close();
    rmSync(folder, { recursive: true });
  });

  test.each<[sentence: string, fault: Fault, status: typeof passing | typeof lasting, says: string]>([
    ["whose server does not answer", { kind: "hang" }, passing, "did not answer within 1 s"],
    ["whose answer stops", { kind: "stall" }, passing, "did not answer within 1 s"],
    ["whose server hangs up", { kind: "drop" }, passing, "cannot be reached: socket hang up"],
    ["whose answer breaks off", { kind: "cut" }, passing, "the answer was cut off"],
    ["whose server has broken down", { kind: "status", status: 500 }, passing, "answers with status 500"],
    ["whose server is overloaded", { kind: "status", status: 503 }, passing, "answers with status 503"],
    ["whose server is asked too often", { kind: "status", status: 429 }, passing, "answers with status 429"],
    ["whose server refuses the credentials", { kind: "status", status: 401 }, lasting, "answers with 401: check storage.bundle.username"],
    ["that is gone", { kind: "status", status: 404 }, lasting, "answers with 404: there is no such file"],
    ["in whose place there is a page", { kind: "body", bytes: Buffer.from("<html>") }, lasting, "it is not a bundle of authz"],
  ])("%s", async (_sentence, fault, status, says) => {
    remote.setFault(fault);
    const answers = await reload();
    expect(answers).toEqual(expected(status, says));
    for (const [, , message] of answers) {
      expect(message).toMatch(/^the bundle `https:\/\/127\.0\.0\.1:\d+\/policies\/bundle\.mjs`: /);
      expect(message).toMatch(ending(status));
      expect(message).not.toContain("s3cr3t");
    }
    remote.setFault({ kind: "none" });
    expect((await reload()).map(([answered]) => answered)).toEqual([200, 0]);
  });

  test("whose server is down", async () => {
    await remote.close();
    const answers = await reload();
    expect(answers).toEqual(expected(passing, "cannot be reached: "));
    for (const [, , message] of answers) {
      // The port is free now: a server of another test may have taken it, and resets who means the one before.
      expect(message).toMatch(/cannot be reached: (?:connect ECONNREFUSED|read ECONNRESET)/);
      expect(message).toMatch(ending(passing));
    }
  });
});
