/** The copy that the git store keeps on the disk: the last good one, trusted no more than the remote. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCopy } from "../../src/store/git/copy.ts";
import { openGit } from "../../src/store/git.ts";
import { gitPlace } from "../../src/store/git/place.ts";
import { whyNotWritten } from "../../src/store/git/copy-not-written.ts";
import { openGitFixture } from "../git/fixture.ts";
import { gitConfig, seen, settingsFor } from "../git/open-store.ts";
import type { GitServer } from "../git/server.ts";
import { openFilesIn } from "./open-files.ts";

const bench = openGitFixture();
const { open } = bench;
let server: GitServer;
const serve = async (options: Parameters<typeof bench.serve>[0]): Promise<void> => void (server = await bench.serve(options));

const copyFolder = (): string => join(bench.cache(), readdirSync(bench.cache())[0] ?? "");
const looseObjects = (): readonly string[] =>
  readdirSync(join(copyFolder(), "objects")).flatMap((below) =>
    readdirSync(join(copyFolder(), "objects", below)).map((name) => below + name),
  );

describe("the copy on the disk", () => {
  test("is a repository that git itself finds whole, in folders of nobody else", async () => {
    await serve({ files: { "p/a.yaml": "a", "_schemas/s.json": "{}" } });
    const commit = await server.commit({ "p/a.yaml": "a2" });
    await open().read();
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "safe.directory=*", "--git-dir", copyFolder(), ...args], { encoding: "utf8", stdio: "pipe" }).trim();
    expect(git("rev-parse", "HEAD")).toBe(commit);
    expect(git("show", "HEAD:p/a.yaml")).toBe("a2");
    expect(git("fsck", "--full", "--strict")).toBe("");
    expect([statSync(copyFolder()).mode & 0o777, statSync(join(copyFolder(), "HEAD")).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  const damages: readonly (readonly [string, () => void])[] = [
    ["an object is damaged", () => forEachObject((path) => writeFileSync(path, flipped(readFileSync(path))))],
    [
      "an object is another",
      () => forEachObject((path, all) => writeFileSync(path, readFileSync(all.find((other) => other !== path) ?? path))),
    ],
    ["objects are empty, as after a power cut", () => forEachObject((path) => writeFileSync(path, ""))],
    ["objects are gone", () => forEachObject((path) => rmSync(path))],
    ["the newest commit is no id", () => writeFileSync(join(copyFolder(), "HEAD"), "ref: refs/heads/master\n")],
    ["the newest commit is one that nobody knows", () => writeFileSync(join(copyFolder(), "HEAD"), `${"1".repeat(40)}\n`)],
    ["everything is gone", () => rmSync(copyFolder(), { recursive: true })],
  ];
  const forEachObject = (damage: (path: string, all: readonly string[]) => void): void => {
    const all = looseObjects().map((id) => join(copyFolder(), "objects", id.slice(0, 2), id.slice(2)));
    for (const path of all) damage(path, all);
  };
  const flipped = (bytes: Buffer): Buffer => {
    bytes[bytes.length - 3] = (bytes[bytes.length - 3] ?? 0) ^ 1;
    return bytes;
  };

  test.each(damages)("when %s, it is fetched again; without an answer it is no copy", async (_, damage) => {
    await serve({ files: { "a.yaml": "a", "b/b.yaml": "b" } });
    const running = open();
    await running.read();
    damage();
    await server.setFault({ kind: "down" });
    await expect(open().read()).rejects.toThrow("it cannot be reached (ECONNREFUSED)");
    await server.setFault({ kind: "none" });
    expect(seen(await open().read())).toEqual({ changed: { "a.yaml": "a", "b/b.yaml": "b" } });
    await server.setFault({ kind: "down" });
    expect(seen(await open().read())).toEqual({ changed: { "a.yaml": "a", "b/b.yaml": "b" } });
    await server.setFault({ kind: "none" });
    await server.commit({ "a.yaml": "a2" });
    expect(seen(await running.read())).toEqual({ changed: { "a.yaml": "a2" } });
  });

  test.each(damages)("when %s, whoever is running takes in the next change, and keeps all of it", async (_, damage) => {
    await serve({ files: { "a.yaml": "a", "b/b.yaml": "b" } });
    const running = open();
    await running.read();
    damage();
    await server.commit({ "a.yaml": "a2" });
    expect(seen(await running.read())).toEqual({ changed: { "a.yaml": "a2" } });
    expect(seen(await open().read())).toEqual({ changed: { "a.yaml": "a2", "b/b.yaml": "b" } });
  });

  test("of another branch, another folder or another repository is another one", async () => {
    await serve({ files: { "a.yaml": "a", "p/b.yaml": "b" } });
    await server.commit({ "c.yaml": "c" }, { branch: "other" });
    for (const given of [{}, { branch: "other" }, { subDir: "p" }, { url: `${server.url}/` }]) await open(given).read();
    expect(readdirSync(bench.cache())).toHaveLength(3); // a slash at the end is no other repository
  });

  test("is shared: each takes in what the other has fetched, and neither is disturbed", async () => {
    await serve({ files: { "a.yaml": "0" } });
    const [one, two] = [open(), open()];
    await Promise.all([one.read(), two.read()]);
    for (let n = 1; n <= 10; n++) {
      await server.commit({ "a.yaml": String(n), [`${n}.yaml`]: `${n}` }, n % 4 === 0 ? { force: "amend" } : {});
      const both = await Promise.all([one.read(), n % 2 === 0 ? two.read() : undefined]);
      expect(both[0]?.changed.find(({ path }) => path === "a.yaml")?.text).toBe(String(n));
      if (n % 2 === 0) expect(both[1]?.changed.find(({ path }) => path === "a.yaml")?.text).toBe(String(n));
    }
    await server.setFault({ kind: "down" });
    expect((await open().read()).changed.find(({ path }) => path === "a.yaml")?.text).toBe("10");
  });

  test("that a later process takes over is not forgotten as old by another, as far as it is used again", async () => {
    await serve({ files: { "a.yaml": "a", "b.yaml": "b" } });
    await open().read();
    const pathOf = (id: string): string => join(copyFolder(), "objects", id.slice(0, 2), id.slice(2));
    const before = looseObjects();
    for (const id of before) utimesSync(pathOf(id), 0, 0);
    await server.commit({ "a.yaml": "a2" });
    await open().read();
    const after = looseObjects();
    // The file that has not changed is the only one of before.
    expect(after.filter((id) => before.includes(id))).toHaveLength(1);
    expect(after.filter((id) => statSync(pathOf(id)).mtimeMs === 0)).toEqual([]);
  });

  test("is whole, whatever another who shares it has removed from it", async () => {
    await serve({ files: { "a.yaml": "a", "b.yaml": "b" } });
    const place = gitPlace(gitConfig(settingsFor(server, bench.cache())));
    const openShared = (): ReturnType<typeof openGit> => {
      const store = openGit({
        place,
        operationMilliseconds: 10_000,
        pollMilliseconds: 0,
        copy: openCopy(place.copyFolder, 0),
        minWritten: 1,
      });
      bench.closeLater(store);
      return store;
    };
    const [one, two] = [openShared(), openShared()];
    await one.read();
    await server.commit({ "c.yaml": "c" }, { force: "orphan" });
    await two.read();
    await server.commit({ "a.yaml": "a", "b.yaml": "b2" }, { force: "orphan" });
    expect(seen(await one.read())).toEqual({ changed: { "b.yaml": "b2" } });
    await server.setFault({ kind: "down" });
    expect(seen(await open().read())).toEqual({ changed: { "a.yaml": "a", "b.yaml": "b2" } });
  });

  test("does not grow with the number of commits, and leaves nothing open", async () => {
    await serve({ files: { "a.yaml": "0", "b.yaml": "b" } });
    const place = gitPlace(gitConfig(settingsFor(server, bench.cache())));
    const store = openGit({
      place,
      operationMilliseconds: 10_000,
      pollMilliseconds: 0,
      copy: openCopy(place.copyFolder, 0),
      minWritten: 20,
    });
    bench.closeLater(store);
    await store.read();
    const halfWritten = join(copyFolder(), "new-0123456789ab"); // by somebody who ended too early
    writeFileSync(halfWritten, "");
    // Of this thread: others have sockets of their own.
    const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP")).length;
    const before = sockets();
    let most = 0;
    for (let n = 1; n <= 40; n++) {
      await server.commit({ "a.yaml": `a${n}` });
      await store.read();
      most = Math.max(most, looseObjects().length);
    }
    expect(most).toBeLessThanOrEqual(30);
    expect(openFilesIn(copyFolder())).toEqual([]);
    expect(sockets()).toBeLessThanOrEqual(before + 5);
    expect(existsSync(halfWritten)).toBe(false);
    await server.setFault({ kind: "down" });
    expect(seen(await open().read())).toEqual({ changed: { "a.yaml": "a40", "b.yaml": "b" } });
  });

  test("keeps what was accepted last beside what came after it, and git finds both whole", async () => {
    await serve({ files: { "a.yaml": "good", "b.yaml": "b" } });
    const place = gitPlace(gitConfig(settingsFor(server, bench.cache())));
    const copy = openCopy(place.copyFolder, 0);
    const store = openGit({ place, operationMilliseconds: 10_000, pollMilliseconds: 0, copy, minWritten: 1 });
    bench.closeLater(store);
    await store.read();
    await store.accepted?.();
    for (const text of ["bad", "worse"]) {
      await server.commit({ "a.yaml": text });
      await store.read();
    }
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "safe.directory=*", "--git-dir", copyFolder(), ...args], { encoding: "utf8", stdio: "pipe" }).trim();
    expect([git("show", "HEAD:a.yaml"), git("show", "accepted:a.yaml"), git("fsck", "--full", "--strict")]).toEqual(["worse", "good", ""]);
    await server.setFault({ kind: "down" });
    expect(seen(await open().read())).toEqual({ changed: { "a.yaml": "good", "b.yaml": "b" } });
    await server.setFault({ kind: "none" });
    await server.commit({ "a.yaml": "better" });
    await store.read();
    await store.accepted?.();
    await server.setFault({ kind: "down" });
    expect(seen(await open().read())).toEqual({ changed: { "a.yaml": "better", "b.yaml": "b" } });
  });

  test.each<readonly [sentence: string, open: () => string]>([
    ["the folder of copies", () => bench.cache()],
    ["the folder of the copy", copyFolder],
  ])("is neither believed nor written where others can write to %s", async (_sentence, shared) => {
    await serve({ files: { "a.yaml": "a" } });
    await open().read();
    const folder = shared();
    const before = readFileSync(join(copyFolder(), "HEAD"), "utf8");
    await server.commit({ "a.yaml": "b" });
    const refused = new RegExp(
      `others can write to the folder \`${folder}\`: give it to the server's user alone .*, or name a folder to be made \\(setting storage\\.git\\.checkoutDir\\)`,
    );
    chmodSync(folder, 0o770);
    await expect(open().read()).rejects.toThrow(refused);
    await server.setFault({ kind: "down" });
    await expect(open().read()).rejects.toThrow(refused);
    expect(readFileSync(join(copyFolder(), "HEAD"), "utf8")).toBe(before);
    chmodSync(folder, 0o700);
    expect(seen(await open().read())).toEqual({ changed: { "a.yaml": "a" } });
  });

  test("that cannot be written is refused, and the setting is named", async () => {
    await serve({ files: { "a.yaml": "a" } });
    const file = join(bench.cache(), "a file");
    writeFileSync(file, "");
    await expect(open({ checkoutDir: file }).read()).rejects.toThrow(
      /cannot be kept in `.*`: a file stands where a folder would have to be \(ENOTDIR\).*storage\.git\.checkoutDir/,
    );
  });

  test.each([
    ["ENOSPC", /: the disk is full \(ENOSPC\): make room there, or name another folder/],
    ["EACCES", /: the server may not write there \(EACCES\): let the server's user write there, or name another folder/],
    ["EMFILE", /: the server has as many files open as it may \(EMFILE\): raise its limit \(`ulimit -n`, LimitNOFILE of systemd\)$/],
    ["EIO", /in `\/copy` \(EIO\): name another folder/],
    [undefined, /in `\/copy` \(unknown error\): name another folder/],
  ])("that cannot be written says what helps: %s", (code, says) => {
    expect(whyNotWritten("/copy", code)).toMatch(says);
  });
});
