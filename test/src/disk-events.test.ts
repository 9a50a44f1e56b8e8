/** A folder that is watched and followed, while others do with it what editors, deployments and accidents do: what is in force in the end, and what never was. */
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bundle, BundleChange, BundledUnit } from "../../runtime/bundle.ts";
import { followStore, type Loop } from "../../src/follow/compile-loop.ts";
import type { Outcome } from "../../src/compile/outcome.ts";
import { wholeText } from "../../src/texts/in-pieces.ts";
import { openDiskStore } from "../../src/store/disk.ts";
import { eventually } from "../server/harness.ts";

let root: string;
let folder: string;
let loop: Loop | undefined;
let told: Outcome[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "authz-events-"));
  folder = join(root, "policies");
  mkdirSync(folder);
  told = [];
});
afterEach(async () => {
  await loop?.close();
  rmSync(root, { recursive: true, force: true });
});

/** A policy that is known by its name, and a version of it by an action. */
const policy = (name: string, action = "view"): string =>
  `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: ${name}\n  version: default\n  rules:\n    - actions: [${action}]\n      effect: EFFECT_ALLOW\n      roles: [user]\n`;
const put = (files: { readonly [path: string]: string }): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
};
const at = (...path: readonly string[]): string => join(folder, ...path);

/** Every set that was in force, one after the other: actions by names. */
function sets(): readonly { readonly [name: string]: string }[] {
  const units = new Map<string, BundledUnit>();
  return told.flatMap((outcome) => {
    if (outcome.kind !== "set" && outcome.kind !== "change") return [];
    const bundle: Partial<Bundle & BundleChange> = JSON.parse(wholeText(outcome.text));
    for (const id of bundle.removed ?? []) units.delete(id);
    for (const unit of bundle.units ?? []) units.set(unit.id, unit);
    return [Object.fromEntries([...units.values()].map((unit) => [unit.name, actionsOf(unit)]))];
  });
}
const actionsOf = ({ scopes }: BundledUnit): string =>
  scopes.flatMap(({ rows }) => rows.flatMap(({ actions }) => actions.map((match) => ("value" in match ? match.value : "*")))).join(" ");
const inForce = async (wanted: { readonly [name: string]: string }): Promise<void> => {
  const text = sorted(wanted);
  await eventually(
    () => sorted(sets().at(-1) ?? {}),
    (now) => now === text,
  );
};
const sorted = (set: { readonly [name: string]: string }): string =>
  JSON.stringify(Object.entries(set).toSorted(([left], [right]) => (left < right ? -1 : 1)));
const troubles = (): readonly string[] =>
  told.flatMap((outcome) =>
    outcome.kind === "unreachable" || (outcome.kind === "broken" && outcome.passed === undefined) ? [outcome.kind] : [],
  );

interface Following {
  readonly directory?: string;
  readonly watch?: () => never;
  readonly poll?: number;
}
/** Follows the folder until the first set is in force, and what was there before is old. */
async function follow({ directory = folder, poll = 60_000, ...watching }: Following = {}): Promise<void> {
  const store = openDiskStore({ directory, pollMilliseconds: poll, ...watching });
  loop = followStore({ store, watch: true, post: (outcome) => void told.push(outcome) });
  await eventually(
    () => told.length,
    (count) => count > 0,
  );
  await sleep(60);
}

describe("what is in force after", () => {
  test.each<[string, { readonly [path: string]: string }, () => void | Promise<void>, { readonly [name: string]: string }]>([
    ["a renamed file", { "a.yaml": policy("a") }, () => renameSync(at("a.yaml"), at("z.yaml")), { a: "view" }],
    [
      "a file that moved to another folder",
      { "a.yaml": policy("a"), "x/b.yaml": policy("b") },
      () => renameSync(at("a.yaml"), at("x/a.yaml")),
      { a: "view", b: "view" },
    ],
    [
      "a renamed folder, and a change in it then",
      { "x/y/a.yaml": policy("a") },
      async () => {
        renameSync(at("x"), at("z"));
        await sleep(200);
        put({ "z/y/a.yaml": policy("a", "edit") });
      },
      { a: "edit" },
    ],
    [
      "new folders with files in them at once",
      { "a.yaml": policy("a") },
      () => put({ "n/m/o/b.yaml": policy("b"), "n/c.yaml": policy("c") }),
      { a: "view", b: "view", c: "view" },
    ],
    [
      "a new folder that is filled later",
      { "a.yaml": policy("a") },
      async () => {
        mkdirSync(at("n/m"), { recursive: true });
        await sleep(200);
        put({ "n/m/b.yaml": policy("b") });
      },
      { a: "view", b: "view" },
    ],
    [
      "a folder that came from elsewhere, and a change in it then",
      { "a.yaml": policy("a") },
      async () => {
        mkdirSync(join(root, "else"));
        writeFileSync(join(root, "else", "b.yaml"), policy("b"));
        renameSync(join(root, "else"), at("n"));
        await sleep(200);
        put({ "n/b.yaml": policy("b", "edit") });
      },
      { a: "view", b: "edit" },
    ],
    [
      "a folder that is removed and made again with another file",
      { "x/a.yaml": policy("a") },
      async () => {
        rmSync(at("x"), { recursive: true });
        put({ "x/b.yaml": policy("b") });
        await sleep(250);
        put({ "x/c.yaml": policy("c") });
      },
      { b: "view", c: "view" },
    ],
    [
      "a folder that another takes the place of, and a change far below it then",
      { "x/y/z/a.yaml": policy("a") },
      async () => {
        put({ "../next/y/z/a.yaml": policy("a", "edit") });
        renameSync(at("x"), join(root, "old"));
        renameSync(join(root, "next"), at("x"));
        await inForce({ a: "edit" });
        put({ "x/y/z/b.yaml": policy("b") });
      },
      { a: "edit", b: "view" },
    ],
    ["a folder that is hidden", { "a.yaml": policy("a"), "x/b.yaml": policy("b") }, () => renameSync(at("x"), at(".x")), { a: "view" }],
    [
      "vim's way to save: a probe, a backup, a new file",
      { "a.yaml": policy("a") },
      () => {
        writeFileSync(at("4913"), "");
        unlinkSync(at("4913"));
        renameSync(at("a.yaml"), at("a.yaml~"));
        writeFileSync(at("a.yaml"), policy("a", "edit"));
        unlinkSync(at("a.yaml~"));
      },
      { a: "edit" },
    ],
    [
      "VS Code's way: emptied and written",
      { "a.yaml": policy("a") },
      () => {
        writeFileSync(at("a.yaml"), "");
        writeFileSync(at("a.yaml"), policy("a", "edit"));
      },
      { a: "edit" },
    ],
    [
      "`sed -i`: a new file in its place",
      { "a.yaml": policy("a") },
      () => {
        writeFileSync(at("sedX1y2"), policy("a", "edit"));
        renameSync(at("sedX1y2"), at("a.yaml"));
      },
      { a: "edit" },
    ],
    [
      "an atomic save through a hidden file",
      { "a.yaml": policy("a") },
      () => {
        writeFileSync(at(".a.yaml.swp"), policy("a", "edit"));
        renameSync(at(".a.yaml.swp"), at("a.yaml"));
      },
      { a: "edit" },
    ],
    [
      "a file that is deleted and made again in one turn",
      { "a.yaml": policy("a") },
      () => {
        unlinkSync(at("a.yaml"));
        put({ "a.yaml": policy("a", "edit") });
      },
      { a: "edit" },
    ],
    [
      "a file that a folder replaces, and the way back",
      { "a.yaml": policy("a"), "b.yaml": policy("b") },
      async () => {
        unlinkSync(at("a.yaml"));
        put({ "a.yaml/c.yaml": policy("c") });
        await inForce({ b: "view", c: "view" });
        rmSync(at("a.yaml"), { recursive: true });
        put({ "a.yaml": policy("a", "edit") });
      },
      { a: "edit", b: "view" },
    ],
    [
      "a text of the same length at the same time of change",
      { "a.yaml": policy("a", "view") },
      () => {
        const { atime, mtime } = statSync(at("a.yaml"));
        put({ "a.yaml": policy("a", "edit") });
        utimesSync(at("a.yaml"), atime, mtime);
      },
      { a: "edit" },
    ],
    [
      "another file of the same length and time in its place",
      { "a.yaml": policy("a", "view") },
      () => {
        const { atime, mtime } = statSync(at("a.yaml"));
        writeFileSync(at("b.tmp"), policy("a", "edit"));
        utimesSync(at("b.tmp"), atime, mtime);
        renameSync(at("b.tmp"), at("a.yaml"));
      },
      { a: "edit" },
    ],
    [
      "a change by a clock that was set back",
      { "a.yaml": policy("a", "view") },
      () => {
        put({ "a.yaml": policy("a", "edit") });
        utimesSync(at("a.yaml"), new Date(0), new Date(0));
      },
      { a: "edit" },
    ],
    [
      "many changes of the same length in the same moment",
      { "a.yaml": policy("a", "view") },
      () => {
        for (const action of ["aaaa", "bbbb", "cccc", "edit"]) put({ "a.yaml": policy("a", action) });
      },
      { a: "edit" },
    ],
    [
      "a link to a file outside, when that file is written in place",
      { "b.yaml": policy("b") },
      async () => {
        writeFileSync(join(root, "real.txt"), policy("a"));
        symlinkSync(join(root, "real.txt"), at("a.yaml"));
        await inForce({ a: "view", b: "view" });
        writeFileSync(join(root, "real.txt"), policy("a", "edit"));
      },
      { a: "edit", b: "view" },
    ],
    [
      "a second name of a file",
      { "b.yaml": policy("b") },
      () => {
        writeFileSync(join(root, "real.txt"), policy("a"));
        linkSync(join(root, "real.txt"), at("a.yaml"));
      },
      { a: "view", b: "view" },
    ],
    [
      "the folder's replacement by another",
      { "a.yaml": policy("a") },
      async () => {
        mkdirSync(join(root, "next"));
        writeFileSync(join(root, "next", "b.yaml"), policy("b"));
        renameSync(folder, join(root, "old"));
        renameSync(join(root, "next"), folder);
        await inForce({ b: "view" });
        put({ "c.yaml": policy("c") });
      },
      { b: "view", c: "view" },
    ],
  ])("%s", async (_sentence, files, act, wanted) => {
    put(files);
    await follow();
    await act();
    await inForce(wanted);
    expect(troubles()).toEqual([]);
  });

  test("swaps of the links that Kubernetes makes, again and again", async () => {
    const publish = (version: number): void => {
      const name = `..2026_11_20_${version}`;
      put({ [`${name}/a.yaml`]: policy("a", `v${version}`), [`${name}/b.yaml`]: policy("b", `v${version}`) });
      symlinkSync(name, at("..data_tmp"));
      renameSync(at("..data_tmp"), at("..data"));
      if (version > 0) rmSync(at(`..2026_11_20_${version - 1}`), { recursive: true });
    };
    publish(0);
    for (const name of ["a.yaml", "b.yaml"]) symlinkSync(`..data/${name}`, at(name));
    await follow();
    for (let version = 1; version <= 5; version++) {
      publish(version);
      await inForce({ a: `v${version}`, b: `v${version}` });
    }
    expect(sets().every(({ a, b }) => a === b)).toBe(true);
    expect(troubles()).toEqual([]);
  });

  test("ConfigMaps whose files come and go: links are made before there is something behind them, and removed after there was", async () => {
    const publish = async (version: number, names: readonly string[]): Promise<void> => {
      const name = `..v${version}`;
      put(Object.fromEntries(names.map((one) => [`${name}/${one}.yaml`, policy(one, `v${version}`)])));
      for (const one of names) if (!existsSync(at(`..data/${one}.yaml`))) symlinkSync(`..data/${one}.yaml`, at(`${one}.yaml`));
      await sleep(20);
      symlinkSync(name, at("..data_tmp"));
      renameSync(at("..data_tmp"), at("..data"));
      await sleep(20);
      for (const one of ["a", "b", "c"]) if (!names.includes(one)) rmSync(at(`${one}.yaml`), { force: true });
      await inForce(Object.fromEntries(names.map((one) => [one, `v${version}`])));
    };
    await follow();
    await publish(1, ["a", "b"]);
    await publish(2, ["a", "b", "c"]);
    await publish(3, ["c"]);
    await publish(4, ["a", "c"]);
    expect(troubles()).toEqual([]);
  });

  test("the swap of a link that leads to the folder", async () => {
    put({ "a.yaml": policy("a") });
    mkdirSync(join(root, "next"));
    writeFileSync(join(root, "next", "b.yaml"), policy("b"));
    symlinkSync(folder, join(root, "current"));
    await follow({ directory: join(root, "current") });
    symlinkSync(join(root, "next"), join(root, "current_"));
    renameSync(join(root, "current_"), join(root, "current"));
    await inForce({ b: "view" });
    writeFileSync(join(root, "next", "c.yaml"), policy("c"));
    await inForce({ b: "view", c: "view" });
    expect(troubles()).toEqual([]);
  });
});

describe("what is never in force, and what is told", () => {
  const textsOf = (sources: readonly { readonly path: string; readonly text: string }[]): { readonly [path: string]: string } =>
    Object.fromEntries(sources.map(({ path, text }) => [path, text]));

  test("the half of a file that is written in two pieces", async () => {
    put({ "a.yaml": policy("a"), "b.yaml": policy("b") });
    await follow();
    const text = policy("a", "edit");
    writeFileSync(at("a.yaml"), text.slice(0, text.indexOf("effect") + 12));
    await sleep(200);
    appendFileSync(at("a.yaml"), text.slice(text.indexOf("effect") + 12));
    await inForce({ a: "edit", b: "view" });
    expect(sets().map(sorted)).toEqual([sorted({ a: "view", b: "view" }), sorted({ a: "edit", b: "view" })]);
    expect(troubles()).toEqual([]); // it had passed before anybody needed to know
  });

  test("a set without the policy that is being replaced by removing it first", async () => {
    put({ "a.yaml": policy("a"), "b.yaml": policy("b") });
    await follow();
    unlinkSync(at("a.yaml"));
    await sleep(70);
    put({ "a.yaml": policy("a", "edit") });
    await inForce({ a: "edit", b: "view" });
    expect(sets().every((set) => Object.keys(set).length === 2)).toBe(true);
  });

  test("a set without the policy whose file is emptied before it is written", async () => {
    put({ "a.yaml": policy("a"), "b.yaml": policy("b") });
    await follow();
    put({ "a.yaml": "" });
    await sleep(70);
    put({ "a.yaml": policy("a", "edit") });
    await inForce({ a: "edit", b: "view" });
    expect(sets().map(sorted)).toEqual([sorted({ a: "view", b: "view" }), sorted({ a: "edit", b: "view" })]);
    expect(troubles()).toEqual([]);
  });

  test("a set without what a swap of links brought while a missing file was waited for", async () => {
    put({ "..v0/b.yaml": "0", "..v1/b.yaml": "1", "a.yaml": "a" });
    symlinkSync("..v0", at("..data"));
    symlinkSync("..data/b.yaml", at("b.yaml"));
    const store = openDiskStore({ directory: folder });
    store.watch(() => undefined);
    try {
      await store.read();
      unlinkSync(at("a.yaml"));
      await sleep(50); // for the event
      const changes = store.read();
      symlinkSync("..v1", at("..data_tmp"));
      renameSync(at("..data_tmp"), at("..data"));
      expect(await changes).toMatchObject({ changed: [{ path: "b.yaml", text: "1" }], removed: ["a.yaml"] });
    } finally {
      await store.close();
    }
  });

  test("a set without what was written while a missing file was waited for", async () => {
    put({ "a.yaml": "a", "b.yaml": "0" });
    // What is younger when it is read is read again in any case.
    await eventually(
      () => Date.now() - statSync(at("b.yaml")).ctimeMs,
      (age) => age > 150,
    );
    const heard: string[] = [];
    const store = openDiskStore({
      directory: folder,
      watch: (path, hear) =>
        watch(path, (event, name) => {
          heard.push(String(name));
          hear(event, name);
        }),
    });
    store.watch(() => undefined);
    const hears = (name: string): Promise<unknown> =>
      eventually(
        () => heard,
        (names) => names.includes(name),
      );
    try {
      await store.read();
      unlinkSync(at("a.yaml"));
      await hears("a.yaml");
      const changes = store.read();
      put({ "b.yaml": "1" });
      expect(await changes).toMatchObject({ changed: [{ path: "b.yaml", text: "1" }], removed: ["a.yaml"] });
      expect(heard).toContain("b.yaml");
    } finally {
      await store.close();
    }
  });

  test("one of two files that were written together while the folder was listed", async () => {
    put({ "a.yaml": "1", "zebra/b.yaml": "1" });
    let isWritten = false;
    const store = openDiskStore({
      directory: folder,
      watch: (path, hear) => {
        if (path.endsWith("zebra") && !isWritten) {
          isWritten = true; // by now the names of the files beside it are known
          put({ "a.yaml": "2", "c.yaml": "2" });
        }
        return watch(path, hear);
      },
    });
    store.watch(() => undefined);
    try {
      const { changed } = await store.read();
      expect(textsOf(changed)).toEqual({ "a.yaml": "2", "c.yaml": "2", "zebra/b.yaml": "1" });
    } finally {
      await store.close();
    }
  });

  test("files of a folder beside those that it lists when another has taken its place meanwhile", async () => {
    put({ "a.yaml": "1", "b.yaml": "1", "zebra/c.yaml": "1", "../next/a.yaml": "2", "../next/d.yaml": "2" });
    symlinkSync(folder, join(root, "current"));
    symlinkSync(join(root, "next"), join(root, "current_"));
    let isSwapped = false;
    const store = openDiskStore({
      directory: join(root, "current"),
      watch: (path, hear) => {
        const watcher = watch(path, hear);
        if (path.endsWith("zebra") && !isSwapped) {
          isSwapped = true; // by now the folder itself has been listed; of the swap nothing is heard
          renameSync(join(root, "current_"), join(root, "current"));
        }
        return watcher;
      },
    });
    store.watch(() => undefined);
    try {
      const { changed } = await store.read();
      expect(isSwapped).toBe(true);
      expect(textsOf(changed)).toEqual({ "a.yaml": "2", "d.yaml": "2" });
    } finally {
      await store.close();
    }
  });

  test("files of a folder beside those of another that took its place", async () => {
    put({ "a.yaml": "1", "b.yaml": "1" });
    const store = openDiskStore({ directory: folder });
    store.watch(() => undefined);
    try {
      await store.read();
      put({ "a.yaml": "2" });
      mkdirSync(join(root, "next"));
      writeFileSync(join(root, "next", "a.yaml"), "3");
      renameSync(folder, join(root, "old"));
      renameSync(join(root, "next"), folder);
      await sleep(20); // for the event of the first change; the other folder is not noticed before half a second
      expect(await store.read()).toMatchObject({ changed: [{ path: "a.yaml", text: "3" }], removed: ["b.yaml"] });
    } finally {
      await store.close();
    }
  });

  test("a file that stays broken is told once, and each look that finds it so still counts", async () => {
    put({ "a.yaml": policy("a") });
    await follow({ poll: 100 });
    put({ "a.yaml": "resourcePolicy: [" });
    const broken = await eventually(
      () => told.filter((outcome) => outcome.kind === "broken"),
      (all) => all.length >= 3,
    );
    expect(broken.map(({ findings }) => findings.length > 0)).toEqual([true, ...broken.slice(1).map(() => false)]);
    put({ "a.yaml": policy("a", "edit") });
    await inForce({ a: "edit" });
  });

  test("a folder that is gone is trouble, and its return mends it, with what changed meanwhile", async () => {
    put({ "a.yaml": policy("a"), "x/b.yaml": policy("b") });
    await follow();
    renameSync(folder, join(root, "away"));
    await eventually(troubles, (all) => all.includes("unreachable"));
    expect(sets()).toHaveLength(1);
    writeFileSync(join(root, "away", "x", "b.yaml"), policy("b", "edit"));
    renameSync(join(root, "away"), folder);
    await inForce({ a: "view", b: "edit" });
    put({ "x/c.yaml": policy("c") });
    await inForce({ a: "view", b: "edit", c: "view" });
  });

  test("a folder that is removed and made anew, empty, is an empty set only then", async () => {
    put({ "a.yaml": policy("a") });
    await follow();
    rmSync(folder, { recursive: true });
    await eventually(troubles, (all) => all.includes("unreachable"));
    expect(sets().map(sorted)).toEqual([sorted({ a: "view" })]);
    mkdirSync(folder);
    await inForce({});
    put({ "b.yaml": policy("b") });
    await inForce({ b: "view" });
  });

  test("a set without the policy whose link leads nowhere: the last good one stays, until what it leads to is back", async () => {
    put({ "b.yaml": policy("b"), "a.txt": policy("a") });
    symlinkSync("a.txt", at("a.yaml"));
    await follow({ poll: 100 });
    renameSync(at("a.txt"), at("away"));
    await eventually(troubles, (all) => all.includes("broken"));
    put({ "b.yaml": policy("b", "edit") });
    await sleep(300);
    expect(sets().map(sorted)).toEqual([sorted({ a: "view", b: "view" })]);
    renameSync(at("away"), at("a.txt"));
    await inForce({ a: "view", b: "edit" });
  });

  test("a set without the policy behind a circle of links: the last good one stays, until the circle is cut", async () => {
    put({ "b.yaml": policy("b"), real: policy("a") });
    symlinkSync("real", at("a.yaml"));
    await follow();
    unlinkSync(at("a.yaml"));
    symlinkSync("a.yaml", at("a.yaml"));
    await eventually(troubles, (all) => all.includes("broken"));
    put({ "b.yaml": policy("b", "edit") });
    await sleep(300);
    expect(sets().map(sorted)).toEqual([sorted({ a: "view", b: "view" })]);
    unlinkSync(at("a.yaml"));
    symlinkSync("real", at("a.yaml"));
    await inForce({ a: "view", b: "edit" });
  });
});

describe("many at once", () => {
  const names = Array.from({ length: 10_000 }, (_, number) => `p${number}`);
  const all = (action: string): { readonly [path: string]: string } =>
    Object.fromEntries(names.slice(0, 1000).map((name) => [`${name.slice(-1)}/${name}.yaml`, policy(name, action)]));

  test("a thousand files, changed at once and over a second, are few compilations", async () => {
    put(all("view"));
    await follow();
    const before = told.length;
    put(all("edit"));
    await inForce(Object.fromEntries(names.slice(0, 1000).map((name) => [name, "edit"])));
    const files = Object.entries(all("share"));
    for (let from = 0; from < files.length; from += 10) {
      put(Object.fromEntries(files.slice(from, from + 10)));
      await sleep(10);
    }
    await inForce(Object.fromEntries(names.slice(0, 1000).map((name) => [name, "share"])));
    expect(told.length - before).toBeLessThanOrEqual(10);
    expect(troubles()).toEqual([]);
  });

  test("ten thousand files that come and change at once, more than the system has room to tell of", async () => {
    put({ "a.yaml": policy("a") });
    await follow();
    for (const name of names) writeFileSync(at(`${name}.yaml`), "---\n");
    put({ "p9999.yaml": policy("p9999") });
    await inForce({ a: "view", p9999: "view" });
    put({ "p5.yaml": policy("p5") });
    await inForce({ a: "view", p5: "view", p9999: "view" });
  });
});

test("where nothing can be watched it is looked at, and that is said", async () => {
  put({ "a.yaml": policy("a") });
  const full = Object.assign(new Error("no space left on device, watch"), { code: "ENOSPC" });
  await follow({
    watch: () => {
      throw full;
    },
  });
  put({ "a.yaml": policy("a", "edit") });
  await inForce({ a: "edit" });
  expect(told.filter(({ kind }) => kind === "remark")).toEqual([
    { kind: "remark", message: expect.stringMatching(/can be watched \(ENOSPC\): it is looked at every 2 seconds.*max_user_watches/) },
  ]);
});

describe("what is written through the program while the folder is watched", () => {
  const roles = (name: string): string =>
    JSON.stringify({ apiVersion: "api.authz.dev/v1", derivedRoles: { name, definitions: [{ name: "owner", parentRoles: ["user"] }] } });

  test("is compiled once, and its own announcement finds nothing new", async () => {
    put({ "a.yaml": policy("a") });
    await follow();
    expect(await loop?.ask({ kind: "put policies", policies: [roles("r")] })).toEqual({ kind: "changed", count: 1 });
    await sleep(400); // announcements come, or do not
    expect(told.map(({ kind }) => kind)).toEqual(["set", "change"]);
  });

  test("loses nothing that somebody else writes in the same moment", async () => {
    put({ "a.yaml": policy("a") });
    await follow();
    const asked = Array.from({ length: 5 }, async (_, number) => {
      put({ [`b${number}.yaml`]: policy(`b${number}`) });
      const answer = loop?.ask({ kind: "put policies", policies: [roles(`r${number}`)] });
      put({ [`c${number}.yaml`]: policy(`c${number}`), "a.yaml": policy("a", `v${number}`) });
      return answer;
    });
    expect(await Promise.all(asked)).toEqual(asked.map(() => ({ kind: "changed", count: 1 })));
    const others = ["b", "c"].flatMap((letter) => asked.map((_, number) => [`${letter}${number}`, "view"] as const));
    await inForce({ a: "v4", ...Object.fromEntries(others) });
    const last = told.findLast((outcome) => outcome.kind === "change");
    expect(last).toMatchObject({ policies: 1 + 10 + 5 });
    expect(troubles()).toEqual([]);
  });
});
