/** Places that policies are kept in, changed as an outsider would, and what a server makes of them. */
import { readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { followBundle } from "../../src/follow/bundle-loop.ts";
import { followStore, type Loop } from "../../src/follow/compile-loop.ts";
import type { GoodOutcome, Outcome } from "../../src/compile/outcome.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { Config } from "../../src/config/settings.ts";
import { openEngine, type Engine } from "../../src/engine.ts";
import { openLive, type Live } from "../../src/live.ts";
import { logTo } from "../../src/observe/log.ts";
import type { StoreEvent } from "../../src/observe/events.ts";
import { openStore, type OpenedStore } from "../../src/store/index.ts";
import { storageOf, type StorageConfig } from "../../src/store/storage.ts";
import { eventually } from "../server/harness.ts";
import { openFilesIn, processesUsing } from "./open-files.ts";

/** All that a place holds: texts by their paths. */
export interface Content {
  readonly policies: { readonly [path: string]: string };
  /** By their paths below `_schemas`. */
  readonly schemas?: { readonly [path: string]: string };
}

/** A place, and who has it in hand besides us. */
export interface Place {
  /** A folder of its own; all that is ever written for the place lies in it. */
  readonly folder: string;
  /** How a server is told of it, watched as often as may be. */
  readonly storage: Partial<StorageConfig>;
  /** The same, when what cannot be set is to be quicker. */
  readonly open?: (storage: StorageConfig) => OpenedStore;
  /** Makes this the whole content, the way an outsider does it. */
  readonly publish: (content: Content) => Promise<void>;
  /** Makes this the whole content although it does not compile; where that cannot be published: what is as bad. */
  readonly publishBroken: (content: Content) => Promise<void>;
  /** How it is told that what was published cannot be used, and what is said besides. */
  readonly broken: { readonly kind: "broken" | "unreachable"; readonly says: RegExp };
  /** Does what outsiders do without changing anything. */
  readonly touch: () => Promise<void>;
  /** Makes the place unreadable, and mends it. */
  readonly damage: () => Promise<void>;
  readonly repair: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const config: Config =
  loadConfig(undefined, ["schema.enforcement=warn"], {}).config ??
  (() => {
    throw new Error("the defaults are a configuration");
  })();
const rules = { allowRefs: ["store" as const], allowedHosts: [] };
const silent = logTo({ write: () => undefined }, "error");

/** What a server is told of a place, unless it is told otherwise. */
export const storageAt = (place: Place): StorageConfig => ({ ...storageOf(config), ...place.storage });

/** The same, not watched. */
export const unwatched: Partial<StorageConfig> = {
  "storage.disk.watchForChanges": false,
  "storage.git.updatePollInterval": 0,
  "storage.bundle.updatePollInterval": 0,
};

/** A place that is followed, as the thread that compiles does it. */
export interface Follower {
  readonly told: readonly Outcome[];
  /** The sets among what was told. */
  readonly sets: () => readonly GoodOutcome[];
  /** What the set in force says of an action of a kind. */
  readonly decide: (kind: string, action: string) => Promise<string>;
  readonly polls: () => number;
  readonly ask: Loop["ask"];
  readonly close: () => Promise<void>;
}

/** Follows a place in this thread. */
export async function follow(place: Place, options: { readonly watch?: boolean } = {}): Promise<Follower> {
  const storage = storageAt(place);
  const opened = await (place.open ?? openStore)(options.watch === false ? { ...storage, ...unwatched } : storage);
  const engine = openEngine(config, { log: silent });
  const told: Outcome[] = [];
  let polls = 0;
  let taken = Promise.resolve();
  const given = {
    watch: options.watch ?? true,
    post: (outcome: Outcome) => {
      told.push(outcome);
      if (outcome.kind === "set") taken = engine.load([...outcome.text], outcome.schemas);
      if (outcome.kind === "change") taken = engine.change([...outcome.text], outcome.schemas);
    },
    polled: () => void polls++,
    schemas: rules,
    quietMilliseconds: 5,
    longestWaitMilliseconds: 100,
  };
  const loop =
    opened.kind === "bundle"
      ? followBundle({ ...given, store: opened.store })
      : followStore({ ...given, administered: rules, store: opened.store });
  return {
    told,
    sets: () => told.filter((outcome): outcome is GoodOutcome => outcome.kind === "set" || outcome.kind === "change"),
    decide: async (kind, action) => {
      await taken;
      return decide(engine, kind, action);
    },
    polls: () => polls,
    ask: loop.ask,
    close: async () => {
      await loop.close();
      engine.close();
    },
  };
}

/** A place behind the real thread. */
export interface ServedStore {
  readonly live: Live;
  readonly decide: (kind: string, action: string) => Promise<string>;
  readonly logged: () => string;
  readonly events: readonly StoreEvent[];
  readonly close: () => Promise<void>;
}

/** Serves a place as a server does; rejects when it would not start. */
export async function serve(place: Place): Promise<ServedStore> {
  const engine = openEngine(config, { log: silent });
  const lines: string[] = [];
  const events: StoreEvent[] = [];
  try {
    const live = await openLive({
      storage: storageAt(place),
      engine,
      schemas: rules,
      administered: rules,
      log: logTo({ write: (line) => void lines.push(line) }, "info"),
      observe: (event) => void events.push(event),
    });
    return {
      live,
      decide: (kind, action) => decide(engine, kind, action),
      logged: () => lines.join(""),
      events,
      close: async () => {
        await live.close();
        engine.close();
      },
    };
  } catch (error) {
    engine.close();
    throw error;
  }
}

async function decide(engine: Engine, kind: string, action: string): Promise<string> {
  const request = { principal: { id: "ann", roles: ["user"] }, resources: [{ actions: [action], resource: { kind, id: "1" } }] };
  const { text } = await engine.check("CheckResources", JSON.stringify(request), "call");
  const effect = /"EFFECT_(\w+)"/.exec(text)?.[1];
  return effect?.toLowerCase() ?? text;
}

/** Waits until so much was told. */
export const until = async (follower: Follower, wished: (told: readonly Outcome[]) => boolean): Promise<void> => {
  await eventually(() => follower.told, wished);
};

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

/** What is open in this thread and, as far as it belongs to a place, in this process. */
export function openHandles(place: Place): { readonly [what: string]: readonly string[] } {
  // SQLite's driver lets a closed database's statements, and with them its file, go when they are collected.
  if (typeof collect === "function") collect();
  return {
    resources: process
      .getActiveResourcesInfo()
      .filter((name) => name !== "Immediate" && name !== "TickObject")
      .sort(),
    descriptors: openFilesIn(place.folder),
    processes: processesUsing(place.folder),
    halfWritten: readdirSync(place.folder, { recursive: true, encoding: "utf8" }).filter((path) =>
      /tmp|temp|\.lock$|\.part|new-/i.test(path),
    ),
  };
}
