/** The git store: what it reads of a repository that git itself serves, and what a change is. */
import { describe, expect, test } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { openGitFixture } from "../git/fixture.ts";
import { seen, type GitSettings } from "../git/open-store.ts";
import type { GitServer } from "../git/server.ts";
import type { Files } from "../git/repository.ts";

const bench = openGitFixture();
const { open } = bench;
let server: GitServer;
const serve = async (options: Parameters<typeof bench.serve>[0]): Promise<void> => void (server = await bench.serve(options));

describe.each([2, 0] as const)("of a server that speaks version %d,", (protocolVersion) => {
  test("the first reading is everything, the next ones what changed, each with its commit", async () => {
    await serve({ protocolVersion, files: { "a.yaml": "a1", "deep/er/b.yml": "b1", "_schemas/x/s.json": "{}" } });
    const store = open();
    const first = await store.read();
    expect(seen(first)).toEqual({ changed: { "a.yaml": "a1", "deep/er/b.yml": "b1" }, changedSchemas: { "x/s.json": "{}" } });
    const [commit] = (await server.repository.git("rev-parse", "master")).split("\n");
    expect(first.changed[0]?.attributes).toEqual({ driver: "git", source: "a.yaml", commit_hash: commit });
    expect(seen(await store.read())).toEqual({});

    const second = await server.commit({ "a.yaml": "a2", "deep/er/b.yml": null, "c.yaml": "c1", "_schemas/x/s.json": null });
    const changes = await store.read();
    expect(seen(changes)).toEqual({
      changed: { "a.yaml": "a2", "c.yaml": "c1" },
      removed: ["deep/er/b.yml"],
      removedSchemas: ["x/s.json"],
    });
    expect(changes.changed.map(({ attributes }) => attributes?.["commit_hash"])).toEqual([second, second]);
    expect(seen(await store.read())).toEqual({});
  });

  test.each<[string, (store: Store) => Promise<unknown>, object]>([
    ["an empty commit", () => server.commit({}), {}],
    ["a commit about nothing of ours", () => server.commit({ "README.md": "hello" }), {}],
    [
      "a file that moved",
      () => server.commit({ "a.yaml": null, "z/a.yaml": "a".repeat(5000) }),
      { changed: { "z/a.yaml": "5000 characters" }, removed: ["a.yaml"] },
    ],
    [
      "a text that comes back from where it was no policy",
      () => server.commit({ "b.yaml": "kept elsewhere" }),
      { changed: { "b.yaml": "kept elsewhere" } },
    ],
    [
      "a small change of a large file",
      () => server.commit({ "a.yaml": `${"a".repeat(5000)}!` }),
      { changed: { "a.yaml": "5001 characters" } },
    ],
    ["history that was replaced", () => server.commit({ "a.yaml": "amended" }, { force: "amend" }), { changed: { "a.yaml": "amended" } }],
    [
      "history that has nothing to do with ours",
      () => server.commit({ "n.yaml": "new" }, { force: "orphan" }),
      { changed: { "n.yaml": "new" }, removed: ["a.yaml"] },
    ],
    [
      "many commits at once",
      async () => {
        for (let n = 0; n < 5; n++) await server.commit({ "a.yaml": `a${n}` });
      },
      { changed: { "a.yaml": "a4" } },
    ],
    [
      "the branch deleted, missed, and made anew",
      async (store) => {
        await server.repository.git("update-ref", "-d", "refs/heads/master");
        await expect(store.read()).rejects.toThrow("there is no branch `master`");
        await server.commit({ "n.yaml": "new" });
      },
      { changed: { "n.yaml": "new" }, removed: ["a.yaml"] },
    ],
    [
      "history that the server has thrown away",
      async () => {
        await server.commit({ "n.yaml": "new" }, { force: "orphan" });
        await server.repository.git("reflog", "expire", "--expire=now", "--all");
        await server.repository.git("gc", "--quiet", "--prune=now");
      },
      { changed: { "n.yaml": "new" }, removed: ["a.yaml"] },
    ],
  ])("%s is the difference", async (_, change, wanted) => {
    await serve({ protocolVersion, files: { "elsewhere.txt": "kept elsewhere" } });
    await server.commit({ "a.yaml": "a".repeat(5000) });
    const store = open();
    await store.read();
    await change(store);
    expect(seen(await store.read())).toEqual(wanted);
    expect(seen(await store.read())).toEqual({});
    // What is kept is a whole commit: it needs nobody.
    const whole = await open().read();
    await server.setFault({ kind: "down" });
    const kept = await open().read();
    expect([seen(kept), kept.staleBecause]).toEqual([seen(whole), expect.stringContaining("it cannot be reached (ECONNREFUSED)")]);
  });
});

describe("what a commit holds", () => {
  test.each<[string, Files, object, GitSettings?]>([
    [
      "tests, hidden files and test data are no policies",
      { "a_test.yaml": "x", ".hidden.yaml": "x", ".git2/b.yaml": "x", "testdata/c.yaml": "x", "d.txt": "x" },
      {},
    ],
    [
      "a schema folder elsewhere is told",
      { "b/_schemas/x.json": "{}" },
      { unreadable: { "b/_schemas": "a folder `_schemas` is allowed only at the root of the store" } },
    ],
    [
      "a link to a file is told, other links are nothing",
      { "l.yaml": { linkTo: "/etc/passwd" }, folder: { linkTo: "/etc" } },
      { unreadable: { "l.yaml": "it is a symbolic link, and in a git repository they are not followed" } },
    ],
    ["a submodule is nothing", { "m.yaml": { submoduleAt: "1234567890123456789012345678901234567890" } }, {}],
    ["bytes that are no text are told", { "a.yaml": Buffer.of(0x61, 0xff) }, { unreadable: { "a.yaml": "the file is not UTF-8 text" } }],
    ["ten mebibytes are read", { "a.yaml": "x".repeat(10 * 1024 * 1024) }, { changed: { "a.yaml": "10485760 characters" } }],
    [
      "one more is too many",
      { "a.yaml": "x".repeat(10 * 1024 * 1024 + 1) },
      { unreadable: { "a.yaml": "the file is larger than 10485760 bytes" } },
    ],
    ["an empty file is a file", { "a.yaml": "" }, { changed: { "a.yaml": "" } }],
    ["all of Unicode is text and name", { "ä/日本.yaml": "\u{1f600}" }, { changed: { "ä/日本.yaml": "\u{1f600}" } }],
    [
      "names are names",
      { "__proto__.yaml": "p", "constructor/x.yaml": "c", "a b.yaml": "s" },
      { changed: { ["__proto__.yaml"]: "p", "constructor/x.yaml": "c", "a b.yaml": "s" } },
    ],
    [
      "a folder of it is the root of all",
      { "p/q/a.yaml": "a", "p/q/_schemas/s.json": "{}", "b.yaml": "b" },
      { changed: { "a.yaml": "a" }, changedSchemas: { "s.json": "{}" } },
      { subDir: "p/q" },
    ],
    ["the folder may be written with more", { "p/q/a.yaml": "a" }, { changed: { "a.yaml": "a" } }, { subDir: "./p//q/" }],
    ["another branch", { "a.yaml": "a" }, { changed: { "b.yaml": "b" } }, { branch: "release/1.x" }],
  ])("%s", async (_, files, wanted, given = {}) => {
    await serve({ files });
    await server.commit({ "b.yaml": "b" }, { branch: "release/1.x" });
    expect(seen(await open(given).read())).toEqual(wanted);
  });

  test("a text that cannot be read is told until it can, and is not read again meanwhile", async () => {
    await serve({ files: { "a.yaml": Buffer.of(0xff), "_schemas/s.json": Buffer.of(0xff), "b.yaml": "b" } });
    const told = { "a.yaml": "the file is not UTF-8 text", "_schemas/s.json": "the file is not UTF-8 text" };
    const store = open();
    expect(seen(await store.read())).toMatchObject({ changed: { "b.yaml": "b" }, unreadable: told });
    expect(seen(await store.read())).toMatchObject({ unreadable: told });
    await server.commit({ "b.yaml": "b2" });
    expect(seen(await store.read())).toMatchObject({ changed: { "b.yaml": "b2" }, unreadable: told });
    await server.commit({ "a.yaml": "a", "_schemas/s.json": null });
    expect(seen(await store.read())).toMatchObject({ changed: { "a.yaml": "a" } });
  });

  test.each<[string, Files | undefined, GitSettings, string]>([
    ["a repository without commits", undefined, {}, "it is empty: there is no branch `master`"],
    [
      "a branch that is not there",
      { "a.yaml": "a" },
      { branch: "mastr" },
      "it has no branch `mastr` (setting storage.git.branch): did you mean `master`?",
    ],
    ["a folder that is not there", { "a.yaml": "a" }, { subDir: "p/q" }, "does not have the folder `p/q` (setting storage.git.subDir)"],
    ["a folder that is a file", { "p/q": "a" }, { subDir: "p/q" }, "has something that is not a folder as `p/q`"],
    ["a folder that is a link", { p: { linkTo: "/etc" } }, { subDir: "p" }, "has something that is not a folder as `p`"],
    ["other credentials", { "a.yaml": "a" }, { "https.password": "wrong" }, "status 401: the credentials are not accepted"],
    ["no credentials", { "a.yaml": "a" }, { "https.username": "", "https.password": "" }, "status 401: it asks for credentials"],
  ])("%s is refused in words", async (_, files, given, message) => {
    await serve(files === undefined ? {} : { files });
    await expect(open(given).read()).rejects.toThrow(message);
  });
});

describe("following", () => {
  test("a poll without a change asks for the branch and nothing else; between polls nobody is asked", async () => {
    await serve({ files: { "a.yaml": "a" } });
    const store = open({ updatePollInterval: 3_600_000 });
    store.watch(() => undefined);
    await store.read();
    const asked = server.requests.length;
    expect(seen(await store.read())).toEqual({});
    expect(server.requests.length).toBe(asked);
    await server.commit({ "a.yaml": "a2" });
    expect(seen(await store.read())).toEqual({});
    expect(seen(await store.read(true))).toEqual({ changed: { "a.yaml": "a2" } });
    const before = server.requests.length;
    await store.read(true);
    expect(server.requests.slice(before)).toEqual([
      "GET /policies.git/info/refs?service=git-upload-pack",
      "POST /policies.git/git-upload-pack",
    ]);
  });

  test("whoever watches is called again and again, until it is closed", async () => {
    await serve({ files: { "a.yaml": "a" } });
    const store = open({ updatePollInterval: 5 });
    await store.read();
    await server.commit({ "a.yaml": "a2" });
    await new Promise<void>((resolve) => store.watch(resolve));
    expect(seen(await store.read())).toEqual({ changed: { "a.yaml": "a2" } });
  });

  test("readings that overlap take turns", async () => {
    await serve({ files: { "a.yaml": "a" } });
    const store = open();
    const all = await Promise.all([store.read(), store.read(), store.read()]);
    expect(all.map(seen)).toEqual([{ changed: { "a.yaml": "a" } }, {}, {}]);
  });

  test("after a reading that failed the remote is asked again, though no poll is due", async () => {
    await serve({ files: { "a.yaml": "a" } });
    const store = open({ updatePollInterval: 3_600_000 });
    store.watch(() => undefined);
    await store.read();
    await server.setFault({ kind: "down" });
    await expect(store.read(true)).rejects.toThrow("cannot be reached");
    await expect(store.read()).rejects.toThrow("cannot be reached");
    await server.setFault({ kind: "none" });
    await server.commit({ "a.yaml": "a2" });
    expect(seen(await store.read())).toEqual({ changed: { "a.yaml": "a2" } });
  });

  test("after a start with the copy the remote is asked again, though no poll is due", async () => {
    await serve({ files: { "a.yaml": "a" } });
    await open().read();
    await server.commit({ "a.yaml": "a2" });
    await server.setFault({ kind: "down" });
    const store = open({ updatePollInterval: 3_600_000 });
    store.watch(() => undefined);
    expect(await store.read()).toMatchObject({ changed: [{ text: "a" }], staleBecause: expect.stringContaining("cannot be reached") });
    await expect(store.read()).rejects.toThrow("cannot be reached");
    await server.setFault({ kind: "none" });
    expect(seen(await store.read())).toEqual({ changed: { "a.yaml": "a2" } });
  });

  test("closing ends a reading that hangs", async () => {
    await serve({ files: { "a.yaml": "a" } });
    await server.setFault({ kind: "hang" });
    const store = open({ operationTimeout: 3_600_000 });
    const reading = store.read().then(String, String);
    await store.close();
    expect(await reading).toContain("Refusal");
  });

  test("nothing can be changed, and that is said", async () => {
    await serve({});
    const store = open();
    expect(store.readOnly).toBe("the policies come from a git repository: commit there what is to change");
    await expect(store.write({ putPolicies: [], removePolicies: [], putSchemas: [], removeSchemas: [] }, 0)).rejects.toThrow(
      "commit there",
    );
  });
});
