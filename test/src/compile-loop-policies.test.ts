/** Policies of a store that somebody asks about, switches, deletes or reads anew: what is told before the answer, and who else may write. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ExecuteCommand } from "../../src/follow/command-handlers.ts";
import { followStore } from "../../src/follow/compile-loop.ts";
import type { Outcome } from "../../src/compile/outcome.ts";
import { openDiskStore } from "../../src/store/disk.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";

interface Followed {
  readonly told: readonly Outcome[];
  readonly kinds: () => readonly string[];
  readonly ask: ExecuteCommand;
}

let folder: string;
let open: (() => Promise<void>)[] = [];
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "authz-loop-"))));
afterEach(async () => {
  for (const close of open) await close();
  open = [];
  rmSync(folder, { recursive: true, force: true });
});

/** Follows a store without watching it, and waits for what comes first. */
async function follow(store: Store): Promise<Followed> {
  const told: Outcome[] = [];
  let isTold = (): void => undefined;
  const first = new Promise<void>((resolve) => void (isTold = resolve));
  const loop = followStore({
    store,
    watch: false,
    administered: { allowRefs: ["store"], allowedHosts: [] },
    post: (outcome) => {
      told.push(outcome);
      isTold();
    },
  });
  open.push(loop.close);
  await first;
  return { told, kinds: () => told.map(({ kind }) => kind), ask: loop.ask };
}

const disk = (): Store => openDiskStore({ directory: folder });
const database = (readOnly = false): Store =>
  openSqliteStore({ place: { kind: "file", path: join(folder, "policies.db"), readOnly, setting: "storage.sqlite.path" } });

const write = (path: string, text: string): void => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const read = (path: string): string => readFileSync(join(folder, path), "utf8");
const resource = (kind: string, more = ""): string =>
  `# ${kind}\napiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: ${kind} # what it is about\n  version: default\n${more}`;
const roles = (name: string): string =>
  `apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: ${name}\n  definitions:\n    - name: owner\n      parentRoles: [user]\n`;
const broken = resource("broken", "  importDerivedRoles: [nosuch]\n");
const put = (...kinds: readonly string[]): Parameters<ExecuteCommand>[0] & { readonly kind: "put policies" } => ({
  kind: "put policies",
  policies: kinds.map((kind) => JSON.stringify({ apiVersion: "api.authz.dev/v1", resourcePolicy: { resource: kind, version: "default" } })),
});

describe("in a folder", () => {
  test("a file is switched where it lies, and nothing else of it changes", async () => {
    write("deep/er/album.yaml", resource("album"));
    write("note.json", '{"apiVersion":"api.authz.dev/v1","resourcePolicy":{"resource":"note","version":"default"}}\n');
    const { ask, kinds } = await follow(disk());
    const ids = ["resource.album.vdefault", "note.json"];
    expect(await ask({ kind: "disable policies", ids })).toEqual({ kind: "changed", count: 2 });
    expect(read("deep/er/album.yaml")).toBe(resource("album").replace("v1\n", "v1\ndisabled: true\n"));
    expect(read("note.json")).toBe(
      '{"apiVersion":"api.authz.dev/v1", "disabled": true,"resourcePolicy":{"resource":"note","version":"default"}}\n',
    );
    expect(await ask({ kind: "disable policies", ids })).toEqual({ kind: "changed", count: 2 });
    expect(kinds()).toEqual(["set", "change"]); // what is so already is not told again
    expect(await ask({ kind: "enable policies", ids })).toEqual({ kind: "changed", count: 2 });
    expect(read("deep/er/album.yaml")).toBe(resource("album"));
    expect(kinds()).toEqual(["set", "change", "change"]);
  });

  test("the last file of a folder goes, the folder stays", async () => {
    write("deep/album.yaml", resource("album"));
    const { ask } = await follow(disk());
    expect(await ask({ kind: "delete policies", ids: ["deep/album.yaml"] })).toEqual({ kind: "changed", count: 1 });
    expect(readdirSync(join(folder, "deep"))).toEqual([]);
  });

  test("no id leads out of it", async () => {
    write("policies/album.yaml", resource("album"));
    write("outside.yaml", resource("outside"));
    const { ask } = await follow(openDiskStore({ directory: join(folder, "policies") }));
    const ids = [
      "../outside.yaml",
      "/etc/passwd",
      join(folder, "outside.yaml"),
      "..",
      ".",
      "",
      "album.yaml\0",
      "policies/../album.yaml",
      "__proto__",
    ];
    expect(await ask({ kind: "get policies", ids })).toEqual([]);
    for (const kind of ["enable policies", "disable policies", "delete policies"] as const)
      expect(await ask({ kind, ids })).toEqual({ kind: "changed", count: 0 });
    expect(read("outside.yaml")).toBe(resource("outside"));
  });

  test("while the set is broken, what mends it can be done, and nothing else", async () => {
    write("album.yaml", resource("album"));
    const { ask, kinds } = await follow(disk());
    write("broken.yaml", broken);
    write("garbage.yaml", "{");
    expect(await ask({ kind: "reload" })).toMatchObject({
      kind: "refused",
      because: "store",
      problems: [{ message: expect.stringMatching(/^broken\.yaml:/) }, { message: expect.stringMatching(/^garbage\.yaml:/) }].toSorted(
        () => 0,
      ),
    });
    expect(await ask({ kind: "list policies", filter: { includeDisabled: false, ids: [] } })).toEqual([
      "album.yaml",
      "broken.yaml",
      "garbage.yaml",
    ]);
    expect(await ask({ kind: "disable policies", ids: ["album.yaml"] })).toMatchObject({
      kind: "refused",
      because: "precondition",
      message: expect.stringContaining("nothing can be changed until they do"),
    });
    expect(await ask({ kind: "disable policies", ids: ["garbage.yaml"] })).toMatchObject({
      kind: "refused",
      because: "precondition",
      problems: [{ path: "id[0]" }],
    });
    expect(await ask({ kind: "delete policies", ids: ["garbage.yaml", "resource.broken.vdefault"] })).toEqual({
      kind: "changed",
      count: 2,
    });
    expect(kinds().at(-1)).toBe("change");
    expect(await ask({ kind: "reload" })).toEqual({ kind: "changed", count: 0 });
  });

  test("a file that cannot be read keeps everything as it is, and is named", async () => {
    write("album.yaml", resource("album"));
    const { ask } = await follow(disk());
    writeFileSync(join(folder, "bytes.yaml"), Buffer.from([0xff, 0xfe, 0xfd]));
    expect(await ask({ kind: "delete policies", ids: ["album.yaml"] })).toMatchObject({
      kind: "refused",
      because: "precondition",
      problems: [{ message: expect.stringContaining("bytes.yaml") }],
    });
    expect(read("album.yaml")).toBe(resource("album"));
  });

  test("a reload brings what has changed, says what is wrong, and forgets that it was", async () => {
    write("album.yaml", resource("album"));
    const { ask, kinds, told } = await follow(disk());
    expect(await ask({ kind: "reload" })).toEqual({ kind: "changed", count: 0 });
    write("note.yaml", resource("note"));
    expect(kinds()).toEqual(["set"]);
    expect(await ask({ kind: "reload" })).toEqual({ kind: "changed", count: 1 });
    expect(told.at(-1)).toMatchObject({ kind: "change", policies: 2 });
    write("broken.yaml", broken);
    for (const _ of ["once", "twice"])
      expect(await ask({ kind: "reload" })).toMatchObject({
        kind: "refused",
        because: "store",
        problems: [{ code: "unknown-import", message: expect.stringMatching(/^broken\.yaml:/) }],
      });
    rmSync(join(folder, "broken.yaml"));
    expect(await ask({ kind: "reload" })).toEqual({ kind: "changed", count: 1 });
    rmSync(folder, { recursive: true });
    for (const _ of ["once", "twice"])
      expect(await ask({ kind: "reload" })).toMatchObject({
        kind: "refused",
        because: "store",
        message: expect.stringContaining("does not exist"),
      });
    write("album.yaml", resource("album"));
    expect(await ask({ kind: "reload" })).toEqual({ kind: "changed", count: 1 });
    expect(told.filter((outcome) => !("again" in outcome)).map(({ kind }) => kind)).toEqual([
      "set",
      "change",
      "broken",
      "change",
      "unreachable",
      "change",
    ]);
  });

  test("a policy that somebody else changes at that moment is switched as it is then", async () => {
    write("album.yaml", resource("album"));
    const store = disk();
    let others = [resource("album", "  rules: []\n"), resource("album", '  scope: ""\n')];
    const contested: Store = {
      ...store,
      write: (batch, at) => {
        const [next, ...rest] = others;
        others = rest;
        if (next !== undefined) write("album.yaml", next);
        return store.write(batch, at);
      },
    };
    const { ask } = await follow(contested);
    expect(await ask({ kind: "disable policies", ids: ["album.yaml"] })).toEqual({ kind: "changed", count: 1 });
    expect(read("album.yaml")).toBe(resource("album", '  scope: ""\n').replace("v1\n", "v1\ndisabled: true\n"));
  });

  test("what can only be read is only read", async () => {
    write("album.yaml", resource("album"));
    const { ask } = await follow(openDiskStore({ directory: folder, readOnly: true }));
    expect(await ask({ kind: "get policies", ids: ["resource.album.vdefault"] })).toMatchObject([{ id: "album.yaml" }]);
    for (const kind of ["enable policies", "disable policies", "delete policies"] as const)
      expect(await ask({ kind, ids: ["album.yaml"] })).toMatchObject({ kind: "refused", because: "read-only" });
    expect(await ask({ kind: "purge revisions", keepLast: 0 })).toMatchObject({
      kind: "refused",
      because: "read-only",
      message: expect.stringContaining("keeps no revisions"),
    });
    expect(read("album.yaml")).toBe(resource("album"));
  });
});

describe("in a database", () => {
  test("every change leaves a revision, until they are purged", async () => {
    const { ask } = await follow(database());
    const ids = ["resource.album.vdefault"];
    await ask(put("album", "note"));
    await ask({ kind: "disable policies", ids });
    await ask({ kind: "disable policies", ids }); // so already
    await ask({ kind: "enable policies", ids });
    await ask({ kind: "delete policies", ids });
    expect(await ask({ kind: "purge revisions", keepLast: 4_294_967_295 })).toEqual({ kind: "changed", count: 0 });
    expect(await ask({ kind: "purge revisions", keepLast: 3 })).toEqual({ kind: "changed", count: 1 });
    expect(await ask({ kind: "purge revisions", keepLast: 1 })).toEqual({ kind: "changed", count: 2 });
    expect(await ask({ kind: "purge revisions", keepLast: 0 })).toEqual({ kind: "changed", count: 2 });
    expect(await ask({ kind: "purge revisions", keepLast: 0 })).toEqual({ kind: "changed", count: 0 });
    expect(await ask({ kind: "list policies", filter: { includeDisabled: true, ids: [] } })).toEqual(["resource.note.vdefault"]);
  });

  test("revisions are not purged where it can only be read", async () => {
    const { ask } = await follow(database());
    await ask(put("album"));
    await ask({ kind: "delete policies", ids: ["resource.album.vdefault"] });
    const { ask: reading } = await follow(database(true));
    expect(await reading({ kind: "purge revisions", keepLast: 0 })).toMatchObject({ kind: "refused", because: "read-only" });
    expect(await ask({ kind: "purge revisions", keepLast: 0 })).toEqual({ kind: "changed", count: 2 });
  });

  test("the column says what the text says", async () => {
    const { ask } = await follow(database());
    await ask(put("album"));
    const { default: Database } = await import("libsql");
    const rows = (): unknown => {
      const opened = new Database(join(folder, "policies.db"));
      const found = opened.prepare("SELECT disabled, definition FROM policy").raw().all();
      opened.close();
      return found;
    };
    await ask({ kind: "disable policies", ids: ["resource.album.vdefault"] });
    expect(rows()).toEqual([[1, expect.stringContaining("disabled: true\n")]]);
    await ask({ kind: "enable policies", ids: ["resource.album.vdefault"] });
    expect(rows()).toEqual([[0, expect.not.stringContaining("disabled")]]);
  });

  test("a full one says so, and nothing has changed", async () => {
    const store = openSqliteStore({ place: { kind: "memory" }, maxPages: 40 });
    const { ask } = await follow(store);
    await ask(put("album"));
    let last: unknown = { kind: "changed" };
    const { policies } = put("album");
    const padded = (index: number): string =>
      JSON.stringify({
        ...JSON.parse(policies[0] ?? ""),
        resourcePolicy: { resource: `album${index}`, version: "default" },
        description: "x".repeat(4000),
      });
    for (let index = 0; index < 60 && JSON.stringify(last).includes('"changed"'); index++)
      last = await ask({ kind: "put policies", policies: [padded(index)] });
    expect(last).toMatchObject({ kind: "refused", because: "store", message: expect.stringContaining("the disk is full") });
  });
});

describe.each([
  ["a folder", disk],
  ["a database", database],
] as const)("of %s two administrators", (_name, store) => {
  test("at once change different things, and neither is lost", async () => {
    const [left, right] = [await follow(store()), await follow(store())];
    const kinds = Array.from({ length: 6 }, (_, index) => `kind${index}`);
    expect(await left.ask(put(...kinds))).toEqual({ kind: "changed", count: 6 });
    const key = (kind: string): string => `resource.${kind}.vdefault`;
    const answers = await Promise.all(
      kinds.map((kind, index) => (index % 2 === 0 ? left : right).ask({ kind: "disable policies", ids: [key(kind)] })),
    );
    expect(answers).toEqual(kinds.map(() => ({ kind: "changed", count: 1 })));
    const third = await follow(store());
    expect(await third.ask({ kind: "list policies", filter: { includeDisabled: false, ids: [] } })).toEqual([]);
    expect(await left.ask({ kind: "delete policies", ids: kinds.map(key) })).toEqual({ kind: "changed", count: 6 });
    expect(await right.ask({ kind: "enable policies", ids: kinds.map(key) })).toEqual({ kind: "changed", count: 0 });
  });
});

test("in a database two administrators cannot together break what neither may break alone", async () => {
  const [left, right] = [await follow(database()), await follow(database())];
  const message = (text: object): string => JSON.stringify({ apiVersion: "api.authz.dev/v1", ...text });
  const set = message({ derivedRoles: { name: "r", definitions: [{ name: "owner", parentRoles: ["user"] }] } });
  const importer = message({ resourcePolicy: { resource: "album", version: "default", importDerivedRoles: ["r"] } });
  await left.ask({ kind: "put policies", policies: [set] });
  const outcome = await Promise.all([
    left.ask({ kind: "put policies", policies: [importer] }),
    right.ask({ kind: "delete policies", ids: ["derived_roles.r"] }),
  ]);
  expect(outcome.map(({ kind }) => kind).toSorted()).toEqual(["changed", "refused"]);
  const third = await follow(database());
  expect(third.kinds()).toEqual(["set"]);
});

test("a set is needed by who imports it, whatever it is called", async () => {
  write("roles.yaml", roles("my roles".replace(" ", ".")));
  write("album.yaml", resource("album", "  importDerivedRoles: [my.roles]\n"));
  const { ask } = await follow(disk());
  expect(await ask({ kind: "delete policies", ids: ["roles.yaml"] })).toMatchObject({
    kind: "refused",
    because: "invalid",
    message: "the policies cannot be deleted",
    broken: { "roles.yaml": { kind: "required", dependents: ["resource.album.vdefault"] } },
  });
});
