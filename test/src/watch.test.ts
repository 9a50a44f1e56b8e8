/** What the watching of a folder reports, and what it leaves out. */
import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, watch, writeFileSync, type FSWatcher } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openDiskStore } from "../../src/store/disk.ts";
import type { Store } from "../../src/store/store.ts";
import { listTree } from "../../src/store/tree.ts";
import { watchFolder } from "../../src/store/watch.ts";
import { eventually, temporaryFolder } from "../server/harness.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
/** So long that nothing is found by comparing. */
const pollMilliseconds = 600_000;
const files = {
  "policies/a.yaml": "1",
  "policies/x/y/b.yaml": "2",
  "policies/x/run.log": "3",
  "policies/named.yaml/c.yaml": "4",
  real: "5",
};

type Act = (at: (path: string) => string) => void;
test.each<[sentence: string, act: Act, touched: readonly string[]]>([
  ["a file that is written", (at) => appendFileSync(at("x/y/b.yaml"), "2"), ["x/y/b.yaml"]],
  ["a file that is gone", (at) => rmSync(at("a.yaml")), ["a.yaml"]],
  ["both names of a folder", (at) => renameSync(at("x/y"), at("x/z")), ["x/y", "x/z"]],
  ["a folder that may be read by others now, or no more", (at) => chmodSync(at("x"), 0o711), ["x"]],
  ["a file by the link to it", (at) => appendFileSync(at("../real"), "5"), ["link.yaml"]],
  ["a folder that is called like a policy, by what lies in it", (at) => appendFileSync(at("named.yaml/c.yaml"), "4"), ["named.yaml"]],
  ["no log", (at) => appendFileSync(at("x/run.log"), "3"), []],
  ["nothing hidden", (at) => writeFileSync(at("x/.hidden.yaml"), ""), []],
])("%s is touched", async (_sentence, act, touched) => {
  const root = join(temporaryFolder(files), "policies");
  symlinkSync("../real", join(root, "link.yaml"));
  const watcher = watchFolder({ root, pollMilliseconds, changed: () => undefined });
  closing.push(watcher.close);
  expect(watcher.takeTouched()).toBe("everything");
  watcher.keep(listTree(root, watcher.entering));
  act((path) => join(root, path));
  writeFileSync(join(root, "last.yaml"), ""); // what is reported comes in order
  const found = new Set<string>();
  await eventually(
    () => {
      for (const path of watcher.takeTouched()) found.add(path);
      return found;
    },
    (all) => all.has("last.yaml"),
  );
  found.delete("last.yaml");
  expect([...found].toSorted()).toEqual(touched);
});

test("nothing is watched any more when a listing goes on after the end", () => {
  const root = join(temporaryFolder(files), "policies");
  const opened: string[] = [];
  const watcher = watchFolder({
    root,
    pollMilliseconds,
    changed: () => undefined,
    watch: (path, hear) => {
      opened.push(path);
      return watch(path, hear);
    },
  });
  closing.push(watcher.close);
  watcher.entering("");
  watcher.close();
  listTree(root, watcher.entering);
  expect(opened).toEqual([join(root, "")]);
});

interface Watched {
  readonly root: string;
  readonly store: Store;
  /** The watchers that are open, by paths below the root. */
  readonly watchers: ReadonlyMap<string, FSWatcher>;
  /** Returns the paths of all that changed, once this one has. */
  readonly changesUntil: (path: string) => Promise<readonly string[]>;
}

async function follow(isNameless = false): Promise<Watched> {
  const root = temporaryFolder({ "a.yaml": "1", "x/b.yaml": "2" });
  const watchers = new Map<string, FSWatcher>();
  const store = openDiskStore({
    directory: root,
    pollMilliseconds,
    watch: (path, hear) => {
      const watcher = watch(path, (event, name) => hear(event, isNameless ? null : name));
      const below = path.slice(root.length + 1);
      watchers.set(below, watcher);
      watcher.on("close", () => watchers.get(below) === watcher && watchers.delete(below));
      return watcher;
    },
  });
  closing.push(store.close);
  store.watch(() => undefined);
  await store.read();
  const found: string[] = [];
  const changesUntil = (path: string): Promise<readonly string[]> =>
    eventually(
      async () => {
        found.push(...(await store.read()).changed.map((source) => source.path));
        return found;
      },
      (all) => all.includes(path),
    );
  return { root, store, watchers, changesUntil };
}

test("where the system tells of changes without names, they are found", async () => {
  const { root, changesUntil } = await follow(true);
  writeFileSync(join(root, "x/b.yaml"), "changed");
  await changesUntil("x/b.yaml");
  writeFileSync(join(root, "a.yaml"), "changed");
  await changesUntil("a.yaml");
  mkdirSync(join(root, "n"));
  writeFileSync(join(root, "n/c.yaml"), "new");
  await changesUntil("n/c.yaml");
});

test("a folder whose watching has failed is watched again at the next comparison, and both are said", async () => {
  const { root, store, watchers, changesUntil } = await follow();
  watchers.get("x")?.emit("error", Object.assign(new Error("i/o error"), { code: "EIO" }));
  expect((await store.read(true)).remarks).toEqual([
    expect.stringContaining("can be watched (EIO): it is looked at every 2 seconds instead"),
    expect.stringMatching(/^everything in .* can be watched again$/),
  ]);
  writeFileSync(join(root, "x/b.yaml"), "changed");
  expect(await changesUntil("x/b.yaml")).toEqual(["x/b.yaml"]);
});

test("where not all can be watched, all is compared every two seconds, however often what cannot be watched changes itself", async () => {
  const root = join(temporaryFolder({ real: "1", "policies/x/b.yaml": "2" }), "policies");
  const link = (): void => {
    symlinkSync("../real", join(root, ".new"));
    renameSync(join(root, ".new"), join(root, "link.yaml"));
  };
  link();
  const store = openDiskStore({
    directory: root,
    pollMilliseconds,
    watch: (path, hear) => {
      if (path !== root) throw Object.assign(new Error("no watches are left"), { code: "ENOSPC" });
      return watch(path, hear);
    },
  });
  closing.push(store.close);
  store.watch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 200)); // what was written just before is read at each reading
  await store.read();
  writeFileSync(join(root, "x/b.yaml"), "changed");
  const relinking = setInterval(link, 100);
  closing.push(() => clearInterval(relinking));
  const texts: string[] = [];
  await eventually(
    async () => {
      texts.push(...(await store.read()).changed.map(({ text }) => text));
      return texts;
    },
    (all) => all.includes("changed"),
    4000,
  );
});

test("what is gone is not watched any more", async () => {
  const { root, store, watchers } = await follow();
  expect([...watchers.keys()].toSorted()).toEqual(["", "x"]);
  rmSync(join(root, "x"), { recursive: true });
  await store.read(true);
  await eventually(
    () => [...watchers.keys()],
    (paths) => paths.join() === "",
  );
  expect(watchers.size).toBe(1);
});
