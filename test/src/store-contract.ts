/** What every store must do, told here once, run for each driver: what a server sees of a place while others change it. */
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import { digest } from "../../src/texts/digest.ts";
import { wholeText } from "../../src/texts/in-pieces.ts";
import { messageOf } from "../../src/refusal.ts";
import { eventually } from "../server/harness.ts";
import { follow, openHandles, serve, until, type Content, type Follower, type Place, type ServedStore } from "./store-place.ts";

const policy = (kind: string, effect: "ALLOW" | "DENY", more = ""): string =>
  `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: ${kind}\n  version: default\n${more}  rules:\n    - actions: [view]\n      effect: EFFECT_${effect}\n      roles: [user]\n`;
const schemas = "  schemas: {resourceSchema: {ref: 'authz:///shapes/album.json'}}\n";

const album = policy("album", "ALLOW");
const photo = policy("photo", "ALLOW");
const two: Content = { policies: { "album.yaml": album, "deep/er/photo.yaml": photo }, schemas: { "shapes/album.json": "{}" } };
const broken: Content = { ...two, policies: { ...two.policies, "album.yaml": album.replace("ALLOW", "PERHAPS") } };

/** A bundle but for where its policies came from: that is what audit entries say, and part of every digest. */
const withoutOrigin = (text: string): unknown =>
  JSON.parse(text, (key, value: unknown) => (["digest", "sourceAttributes"].includes(key) ? undefined : value));

type Things = ReturnType<typeof openHandles>;

/** What there is more of than before. */
const without = (now: Things, before: Things): Things =>
  Object.fromEntries(
    Object.entries(now).flatMap(([what, list]) => {
      const known = [...(before[what] ?? [])];
      const more = list.filter((one) => {
        const index = known.indexOf(one);
        if (index !== -1) known.splice(index, 1);
        return index === -1;
      });
      return more.length === 0 ? [] : [[what, more]];
    }),
  );

/** Declares the tests. `keepsCopies`: a start finds what was good, although the place is away. */
export function storeContract(open: () => Promise<Place>, { keepsCopies = false } = {}): void {
  let place: Place;
  let toClose: (() => Promise<void>)[] = [];
  beforeEach(async () => void (place = await open()));
  afterEach(async () => {
    for (const close of toClose.toReversed()) await close();
    toClose = [];
    await place.close();
  });
  const following = async (options: Parameters<typeof follow>[1] = {}): Promise<Follower> => {
    const follower = await follow(place, options);
    toClose.push(follower.close);
    return follower;
  };
  const serving = async (): Promise<ServedStore> => {
    const served = await serve(place);
    toClose.push(served.close);
    return served;
  };
  const kinds = ({ told }: Follower): readonly string[] => told.map(({ kind }) => kind);
  /** Without what is only told again. */
  const firstTold = ({ told }: Follower): readonly string[] =>
    told.flatMap((outcome) => {
      if (outcome.kind !== "unreachable") return [outcome.kind];
      return outcome.again === true ? [] : [`unreachable: ${outcome.message}`];
    });
  /** Publishes, and waits until the set in force decides so. */
  const becomes = async (
    follower: Pick<Follower, "decide">,
    content: Content,
    wanted: { readonly [kind: string]: string },
  ): Promise<void> => {
    await place.publish(content);
    await decides(follower, wanted);
  };
  const decides = async (follower: Pick<Follower, "decide">, wanted: { readonly [kind: string]: string }): Promise<void> => {
    for (const [kind, effect] of Object.entries(wanted))
      await eventually(
        () => follower.decide(kind, "view"),
        (found) => found === effect,
      );
  };

  test("the first that is told is the whole set, with its schemas", async () => {
    await place.publish(two);
    const follower = await following();
    await until(follower, (told) => told.length > 0);
    expect(follower.told[0]).toMatchObject({ kind: "set", policies: 2, warnings: [] });
    expect(follower.sets()[0]?.schemas).toEqual(new Map([["shapes/album.json", "{}"]]));
    await decides(follower, { album: "allow", photo: "allow", other: "deny" });
  });

  test("the same content gives the same program, wherever it lies, and the same digest whoever reads it", async () => {
    await place.publish(two);
    const followers = [await following(), await following()] as const;
    for (const follower of followers) await until(follower, (told) => told.length > 0);
    const [one, other] = followers.map((follower) => follower.sets()[0]);
    expect(one?.digest).toBe(other?.digest);
    const sources = Object.entries(two.policies).map(([path, text]) => ({ path, text }));
    expect(withoutOrigin(wholeText(one?.text ?? []))).toEqual(withoutOrigin(JSON.stringify(compile(sources, { digest }).compiled?.bundle)));
  });

  test("a change, an addition, a removal and a rename are told, and in force", async () => {
    await place.publish(two);
    const follower = await following();
    await decides(follower, { album: "allow", photo: "allow" });
    const changed = { "album.yaml": album.replace("ALLOW", "DENY"), "deep/er/photo.yaml": photo };
    await becomes(follower, { ...two, policies: changed }, { album: "deny", photo: "allow" });
    const added = { ...changed, "more/song.yaml": policy("song", "ALLOW") };
    await becomes(follower, { ...two, policies: added }, { song: "allow" });
    const removed = { "album.yaml": album, "more/song.yaml": policy("song", "ALLOW") };
    await becomes(follower, { ...two, policies: removed }, { album: "allow", photo: "deny", song: "allow" });
    const renamed = { "elsewhere/a.yaml": album, "more/song.yaml": policy("song", "DENY") };
    await becomes(follower, { ...two, policies: renamed }, { song: "deny", album: "allow" });
    expect(follower.sets().at(-1)?.policies).toBe(2);
    expect(new Set(kinds(follower))).toEqual(new Set(["set", "change"]));
  });

  test("schemas travel: added, changed and removed", async () => {
    const policies = { "album.yaml": policy("album", "ALLOW", schemas) };
    await place.publish({ policies });
    const follower = await following();
    const last = async (wanted: ReadonlyMap<string, string>): Promise<void> => {
      const found = (): string => JSON.stringify([...(follower.sets().findLast((set) => set.schemas !== undefined)?.schemas ?? [])]);
      await eventually(found, (text) => text === JSON.stringify([...wanted]));
    };
    await until(follower, (told) => told.length > 0);
    await last(new Map());
    for (const text of ['{"type":"object"}', '{"type":"object","required":["a"]}']) {
      await place.publish({ policies, schemas: { "shapes/album.json": text } });
      await last(new Map([["shapes/album.json", text]]));
    }
    await place.publish({ policies });
    await last(new Map());
  });

  test("what cannot be used is told as that, the last good set stays, and mending it recovers", async () => {
    await place.publish(two);
    const follower = await following();
    await decides(follower, { album: "allow" });
    await place.publishBroken(broken);
    await until(follower, (told) =>
      told.some((outcome) => outcome.kind === place.broken.kind && place.broken.says.test(JSON.stringify(outcome))),
    );
    expect(await follower.decide("album", "view")).toBe("allow");
    await becomes(follower, { ...two, policies: { ...two.policies, "album.yaml": album.replace("ALLOW", "DENY") } }, { album: "deny" });
  });

  test("what cannot be used at the start ends the start, and says why", async () => {
    await place.publishBroken(broken);
    const failure = await serving().then(
      () => "it started",
      (error: unknown) => messageOf(error),
    );
    expect(failure).toMatch(place.broken.says);
  });

  test("a place that cannot be read is told, once for each reason, the last good set stays, and its return is told", async () => {
    await place.publish(two);
    const follower = await following();
    await decides(follower, { album: "allow" });
    const before = firstTold(follower).length;
    const since = (): readonly string[] => firstTold(follower).slice(before);
    await place.damage();
    await until(follower, () => since().length > 0);
    for (let turn = 0; turn < 3; turn++) await follower.ask({ kind: "reload" }).catch(() => undefined);
    expect(since()).toEqual([...new Set(since().filter((what) => what.startsWith("unreachable")))]);
    expect(await follower.decide("album", "view")).toBe("allow");
    await place.repair();
    await until(follower, () => since().at(-1) === "change");
    await becomes(follower, { ...two, policies: { "album.yaml": album.replace("ALLOW", "DENY") } }, { album: "deny", photo: "deny" });
  });

  test("nothing is told when nothing has changed", async () => {
    await place.publish(two);
    const follower = await following();
    await until(follower, (told) => told.length > 0);
    await decides(follower, { album: "allow" });
    const before = [...kinds(follower)];
    await place.touch();
    const polls = follower.polls();
    await follower.ask({ kind: "reload" });
    await eventually(follower.polls, (count) => count > polls);
    expect(kinds(follower)).toEqual(before);
  });

  test("two who follow the same place see the same sets", async () => {
    await place.publish(two);
    const followers = [await following(), await following()] as const;
    for (const effect of ["deny", "allow"] as const) {
      await place.publish({ policies: { "album.yaml": policy("album", effect === "allow" ? "ALLOW" : "DENY") } });
      for (const follower of followers) await decides(follower, { album: effect, photo: "deny" });
    }
    expect(followers[0].sets().at(-1)?.digest).toBe(followers[1].sets().at(-1)?.digest);
  });

  test("a burst ends in the newest state", async () => {
    await place.publish(two);
    const follower = await following();
    await until(follower, (told) => told.length > 0);
    for (let round = 0; round < 10; round++)
      await place.publish({ policies: { "album.yaml": album, [`r${round}.yaml`]: policy(`round${round}`, "ALLOW") } });
    await decides(follower, { round9: "allow", round8: "deny", round0: "deny" });
    expect(kinds(follower).filter((kind) => kind !== "set" && kind !== "change")).toEqual([]);
  });

  test("what is not watched is taken in when it is asked for, and is in force before the answer", async () => {
    await place.publish(two);
    const follower = await following({ watch: false });
    await until(follower, (told) => told.length > 0);
    await place.publish({ policies: { "album.yaml": album.replace("ALLOW", "DENY") } });
    expect(await follower.ask({ kind: "reload" })).toMatchObject({ kind: "changed" });
    expect([await follower.decide("album", "view"), await follower.decide("photo", "view")]).toEqual(["deny", "deny"]);
  });

  test("nothing stays open, runs on or lies about half-written when it is closed", async () => {
    await place.publish(two);
    const before = openHandles(place);
    const follower = await follow(place);
    await decides(follower, { album: "allow" });
    await becomes(follower, { policies: { "album.yaml": album.replace("ALLOW", "DENY") } }, { album: "deny" });
    await place.damage();
    await until(follower, (told) => told.at(-1)?.kind === "unreachable");
    await follower.close();
    await place.repair();
    const left = async (): Promise<unknown> => without(openHandles(place), before);
    expect(await eventually(left, (found) => JSON.stringify(found) === "{}").catch(left)).toEqual({});
  });

  if (keepsCopies)
    test("at a start without the place, what was good last is served, whatever was read after it", async () => {
      await place.publish(two);
      const before = await follow(place);
      await decides(before, { album: "allow" });
      const denied = { ...two, policies: { ...two.policies, "album.yaml": album.replace("ALLOW", "DENY") } };
      await becomes(before, denied, { album: "deny", photo: "allow" });
      await place.publishBroken(broken);
      await until(before, (told) => told.at(-1)?.kind === place.broken.kind);
      await before.close();
      await place.damage();
      const served = await serving();
      expect([await served.decide("album", "view"), await served.decide("photo", "view")]).toEqual(["deny", "allow"]);
      await place.repair();
      await becomes(served, two, { album: "allow", photo: "allow" });
    });

  test("behind the real thread: a change is in force, trouble is logged and counted, and all ends with it", async () => {
    await place.publish(two);
    const served = await serve(place);
    try {
      await decides(served, { album: "allow", photo: "allow" });
      await becomes(served, { ...two, policies: { "album.yaml": album.replace("ALLOW", "DENY") } }, { album: "deny", photo: "deny" });
      await place.publishBroken(broken);
      await eventually(served.logged, (text) => place.broken.says.test(text) && text.includes("the last good set keeps answering"));
      expect(await served.decide("album", "view")).toBe("deny");
      expect(served.events.some(({ kind }) => kind === "failed")).toBe(true);
      await becomes(served, two, { album: "allow", photo: "allow" });
    } finally {
      await served.close();
    }
    await allIsLetGo();
  });

  test.each([0, 1, 2, 5, 60])("behind the real thread: nothing stays open when it is ended %i ms after a change", async (milliseconds) => {
    await place.publish(two);
    const served = await serve(place);
    await becomes(served, { ...two, policies: { ...two.policies, "album.yaml": album.replace("ALLOW", "DENY") } }, { album: "deny" });
    await delay(milliseconds);
    await served.close();
    await allIsLetGo();
  });

  if (keepsCopies)
    test("behind the real thread: what is in force when it is ended is what a start without the place serves", async () => {
      await place.publish(two);
      const before = await serve(place);
      await becomes(before, { ...two, policies: { ...two.policies, "album.yaml": album.replace("ALLOW", "DENY") } }, { album: "deny" });
      await before.close();
      await place.damage();
      const after = await serve(place);
      expect(await after.decide("album", "view")).toBe("deny");
      await after.close();
    });

  const allIsLetGo = async (): Promise<void> => {
    await eventually(
      () => openHandles(place),
      ({ descriptors = [], processes = [] }) => descriptors.length + processes.length === 0,
    );
  };
}
