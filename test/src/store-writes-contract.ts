/** What every store that can be changed must do, told here once, run for each driver: what is written, and read by others. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { emptyBatch, type Batch, type Changes, type Store } from "../../src/store/store.ts";

/** A place that several stores can be opened on, as if by several processes. */
export interface WritablePlace {
  /** Makes an empty one before each test, and takes it away afterwards. */
  readonly begin: () => void;
  readonly end: () => void;
  readonly open: () => Store;
  /** What a path of a policy looks like here, for a key such as `resource.album.vdefault`. */
  readonly path: (key: string) => string;
}

const album = "apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: a\n  definitions: []\n";
const at = Date.UTC(2026, 10, 20);

const batch = (parts: Partial<Batch>): Batch => ({ ...emptyBatch, ...parts });
const pairs = (texts: readonly { readonly path: string; readonly text: string }[]): readonly (readonly string[])[] =>
  texts.map(({ path, text }) => [path, text]).sort(([left = ""], [right = ""]) => (left < right ? -1 : 1));
const seen = ({ changed, removed, changedSchemas, removedSchemas }: Changes): object => ({
  changed: pairs(changed),
  removed: removed.toSorted(),
  changedSchemas: pairs(changedSchemas),
  removedSchemas: removedSchemas.toSorted(),
});
const nothing = { changed: [], removed: [], changedSchemas: [], removedSchemas: [] };

/** Declares the tests. */
export function writesContract(place: WritablePlace): void {
  let stores: Store[] = [];
  const open = (): Store => {
    const store = place.open();
    stores.push(store);
    return store;
  };
  beforeEach(place.begin);
  afterEach(async () => {
    for (const store of stores) await store.close();
    stores = [];
    place.end();
  });
  const put = (key: string, text = album): Batch["putPolicies"][number] => ({ path: place.path(key), text, isDisabled: false });
  const a = "derived_roles.a";
  const b = "resource.b.vdefault";

  test("an empty one has nothing", async () => {
    const store = open();
    expect(store.readOnly).toBeUndefined();
    expect(seen(await store.read())).toEqual(nothing);
  });

  test("what is written together is read together, by whoever reads", async () => {
    const [writer, reader] = [open(), open()];
    await writer.read();
    await reader.read();
    expect(await writer.write(batch({ putPolicies: [put(a), put(b)], putSchemas: [{ path: "x/y.json", text: "{}" }] }), at)).toBe(
      "written",
    );
    const wanted = {
      ...nothing,
      changed: pairs([a, b].map((key) => ({ path: place.path(key), text: album }))),
      changedSchemas: [["x/y.json", "{}"]],
    };
    expect(seen(await reader.read())).toEqual(wanted);
    expect(seen(await open().read())).toEqual(wanted);
    expect(seen(await reader.read())).toEqual(nothing);
  });

  test("says beforehand which source a writing will become", async () => {
    const store = open();
    await store.read();
    const policy = put(a);
    await store.write(batch({ putPolicies: [policy] }), at);
    expect((await open().read()).changed).toEqual([store.sourceOf(policy, at)]);
  });

  test("what is put again replaces, what is removed is gone", async () => {
    const [writer, reader] = [open(), open()];
    await writer.read();
    await writer.write(
      batch({ putPolicies: [put(a), put(b)], putSchemas: ["x.json", "y.json"].map((path) => ({ path, text: "{}" })) }),
      at,
    );
    await reader.read();
    await writer.read();
    expect(
      await writer.write(
        batch({
          putPolicies: [put(a, `${album}#`)],
          removePolicies: [place.path(b)],
          putSchemas: [{ path: "y.json", text: "[]" }],
          removeSchemas: ["x.json"],
        }),
        at + 1,
      ),
    ).toBe("written");
    expect(seen(await reader.read())).toEqual({
      ...nothing,
      changed: [[place.path(a), `${album}#`]],
      removed: [place.path(b)],
      changedSchemas: [["y.json", "[]"]],
      removedSchemas: ["x.json"],
    });
  });

  test("removing what is not there is no error, and nothing else happens", async () => {
    const store = open();
    await store.read();
    expect(await store.write(batch({ removePolicies: [place.path(a)], removeSchemas: ["x.json"] }), at)).toBe("written");
    expect(seen(await store.read())).toEqual(nothing);
  });

  test("what was removed can be put again at once, and removed again", async () => {
    const store = open();
    await store.read();
    for (const text of [album, `${album}# again\n`]) {
      expect(await store.write(batch({ putPolicies: [put(a, text)], putSchemas: [{ path: "x.json", text: "{}" }] }), at)).toBe("written");
      await store.read(true);
      expect(await store.write(batch({ removePolicies: [place.path(a)], removeSchemas: ["x.json"] }), at + 1)).toBe("written");
      await store.read(true);
    }
  });

  test("what was written, and removed by somebody else before anybody looked, is told to be gone", async () => {
    const [mine, theirs] = [open(), open()];
    await mine.read();
    await mine.write(batch({ putPolicies: [put(a), put(b)], putSchemas: [{ path: "x.json", text: "{}" }] }), at);
    await theirs.read();
    await theirs.write(batch({ removePolicies: [place.path(a)], removeSchemas: ["x.json"] }), at + 1);
    const { removed, removedSchemas } = await mine.read(true);
    expect({ removed, removedSchemas }).toEqual({ removed: [place.path(a)], removedSchemas: ["x.json"] });
  });

  test("what somebody else has written since is not overwritten", async () => {
    const [mine, theirs] = [open(), open()];
    await mine.read();
    await theirs.read();
    await theirs.write(batch({ putPolicies: [put(a, "theirs")] }), at);
    expect(await mine.write(batch({ putPolicies: [put(a, "mine")] }), at)).toBe("stale");
    expect(seen(await mine.read(true))).toEqual({ ...nothing, changed: [[place.path(a), "theirs"]] });
    expect(await mine.write(batch({ putPolicies: [put(a, "mine")] }), at)).toBe("written");
    expect(seen(await theirs.read(true))).toEqual({ ...nothing, changed: [[place.path(a), "mine"]] });
  });

  test("names that look like something else are names", async () => {
    const store = open();
    await store.read();
    const ids = ["__proto__.json", "a b.json", "ä/ö.json", "constructor.json", "'; DROP TABLE policy; --.json", "%2e%2e.json"];
    await store.write(batch({ putSchemas: ids.map((path) => ({ path, text: `"${path}"` })) }), at);
    expect((await open().read()).changedSchemas.map(({ path }) => path).sort()).toEqual(ids.toSorted());
  });

  test("text comes back as it was: line ends, all of Unicode, and 1 MiB of it", async () => {
    const store = open();
    await store.read();
    const text = `# \u{1f600}\u0001\r\n\t\u2028 end\n${"x".repeat(2 ** 20)}`;
    await store.write(batch({ putPolicies: [put(a, text)], putSchemas: [{ path: "x.json", text }] }), at);
    const { changed, changedSchemas } = await open().read();
    expect([changed[0]?.text === text, changedSchemas[0]?.text === text]).toEqual([true, true]);
  });
}
