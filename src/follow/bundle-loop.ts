/** A store of compiled policies -> sets, again and again: the counterpart of compile-loop.ts where nothing is compiled here. */
import type { Bundle } from "../../runtime/bundle.ts";
import { passwordMatches } from "../admin/password-hash.ts";
import { isFound } from "../admin/patterns.ts";
import { bundleChange } from "../compile/bundle-change.ts";
import type { BundleSet } from "../bundle/set.ts";
import { openBurst } from "./burst.ts";
import { refused, type Answers, type Command, type PolicyFilter, type Refused } from "../compile/commands.ts";
import type { Loop, LoopOptions } from "./compile-loop.ts";
import type { Good, Outcome } from "../compile/outcome.ts";
import type { Finding } from "../compile/compile-set.ts";
import { bundleInPieces, changeInPieces, textInPieces } from "../texts/in-pieces.ts";
import type { StoreEvent } from "../observe/events.ts";
import { messageOf } from "../refusal.ts";
import { openSerialQueue } from "../serial-queue.ts";
import type { Difference } from "../compile/store-state.ts";
import type { BundleReading, BundleStore } from "../store/bundle-store.ts";

/** What is followed, and who is told. */
export type BundleLoopOptions = Omit<LoopOptions, "store" | "administered"> & {
  readonly store: BundleStore;
  /** Told what came of each reading, and how long it took. */
  readonly observe?: (event: StoreEvent) => void;
};

/** Starts to follow a bundle; the first outcome comes without any change. */
export function followBundle(options: BundleLoopOptions): Loop {
  const { store, post, settleMilliseconds = 40, patienceMilliseconds = 400 } = options;
  /** What was told last. */
  let told: { readonly set: BundleSet; readonly good: Good } | undefined;
  /** Why the place cannot be read, as it was told; undefined while it can. */
  let trouble: string | undefined;
  let closed = false;
  /** Whoever reads waits for those before. */
  const { inTurn, ended } = openSerialQueue();
  let looking = false;

  const tell = (outcome: Outcome): void => {
    if (!closed) post(outcome);
  };
  const tellTrouble = (message: string): void => {
    // A store that stays away is polled, and the log is not its clock: the same again is only counted.
    tell({ kind: "unreachable", message, ...(trouble === message && { again: true }) });
    trouble = message;
  };
  const measured = async (thorough: boolean): Promise<BundleReading> => {
    const began = performance.now();
    const observed = (result: "unchanged" | "updated" | "failed"): void =>
      options.observe?.({ kind: "bundle read", result, milliseconds: performance.now() - began });
    try {
      const reading = await store.read(thorough);
      const isStale = reading.kind === "bundle" && reading.staleBecause !== undefined;
      observed(isStale ? "failed" : reading.kind === "bundle" ? "updated" : "unchanged");
      return reading;
    } catch (error) {
      observed("failed");
      throw error;
    } finally {
      options.polled?.();
    }
  };
  /** Reads, tells what has come of it, and returns why nothing did. */
  const look = async (thorough: boolean): Promise<string | undefined> => {
    try {
      const reading = await measured(thorough);
      if (reading.kind === "bundle") tellNew(reading.set, reading.remarks, reading.text);
      else if (trouble !== undefined && told !== undefined) tellNew(told.set, []); // it is back, and the same
      trouble = undefined;
      if (reading.kind === "bundle" && reading.staleBecause !== undefined) tellTrouble(reading.staleBecause);
    } catch (error) {
      tellTrouble(messageOf(error));
    }
    return trouble;
  };
  const tellNew = (set: BundleSet, remarks: readonly string[], text?: string): void => {
    const before = told?.set;
    const whole: Good = {
      kind: "set",
      text: [],
      digest: set.digest,
      policies: set.policies,
      ...difference(before, set),
      warnings: remarks.map((remark) => warning(store.name, remark)),
      ...(options.schemas !== undefined && !areSame(before?.schemas, set.schemas) && { schemas: set.schemas }),
    };
    told = { set, good: whole };
    if (before === undefined) return tell({ ...whole, text: text === undefined ? bundleInPieces(set.bundle()) : textInPieces(text) });
    // Every digest of a bundle was made anew when it was read: units of one digest are one, whoever built them.
    tell({ ...whole, kind: "change", text: changeInPieces(bundleChange(before.bundle(), set.bundle())) });
  };
  const burst = openBurst({
    settle: settleMilliseconds,
    patience: patienceMilliseconds,
    run: () => {
      if (!looking)
        void inTurn(() => {
          looking = false;
          return look(false);
        });
      looking = true;
    },
  });

  const readOnly = async (): Promise<Refused> =>
    refused("read-only", "the policies come from a bundle, which is built elsewhere: change its sources, build and publish it");
  const sourceless = async (): Promise<Refused> =>
    refused("read-only", "the policies come from a bundle, which holds compiled policies and not their sources: look where it is built");
  const current = (): Promise<BundleSet | undefined> => inTurn(async () => told?.set);
  /** Keyed by what is asked, so that none can be forgotten. */
  const asked: { readonly [K in Command["kind"]]: (command: Extract<Command, { kind: K }>) => Promise<Answers[K]> } = {
    "list schemas": async () => [...((await current())?.schemas.keys() ?? [])],
    "get schemas": async ({ ids }) => {
      const schemas = (await current())?.schemas;
      return ids.flatMap((id) => {
        const text = schemas?.get(id);
        return text === undefined ? [] : [{ id, text }];
      });
    },
    "list policies": async ({ filter }) => listed(filter, (await current())?.bundle()),
    reload: async () => {
      const before = told?.set;
      const problem = await inTurn(() => look(true));
      if (problem !== undefined) return refused("store", problem);
      const { created, updated, deleted } = difference(before, told?.set);
      return { kind: "changed", count: created + updated + deleted };
    },
    "put schemas": readOnly,
    "delete schemas": readOnly,
    "put policies": readOnly,
    "get policies": sourceless,
    "inspect policies": sourceless,
    "enable policies": readOnly,
    "disable policies": readOnly,
    "delete policies": readOnly,
    "purge revisions": readOnly,
    "verify password": ({ password, hash }) => passwordMatches(password, hash),
  };

  if (options.watch) store.watch(burst.announce);
  void inTurn(() => look(false));
  return {
    tellWhole: () => {
      if (told === undefined) return;
      const { set, good } = told;
      tell({ ...good, warnings: [], text: bundleInPieces(set.bundle()), ...(options.schemas !== undefined && { schemas: set.schemas }) });
    },
    // Each kind is answered by its own row, which the type of a row looked up by its key cannot say.
    ask: (command) => asked[command.kind](command as never) as never,
    close: async () => {
      closed = true;
      burst.close();
      await ended();
      await store.close();
    },
  };
}

/** Keys, which are what a bundle knows policies by. None is disabled, and what others import has become part of them. */
function listed({ ids, name, version, scope }: PolicyFilter, bundle: Bundle | undefined): readonly string[] {
  const wanted = new Set(ids);
  const isMeant = (pattern: string | undefined, text: string): boolean => pattern === undefined || isFound(pattern, text);
  return (bundle?.units ?? [])
    .filter((unit) => isMeant(name, unit.writtenName) && isMeant(version, unit.version))
    .flatMap(({ scopes }) => scopes.filter((one) => isMeant(scope, one.scope)).map(({ key }) => key))
    .filter((key) => wanted.size === 0 || wanted.has(key));
}

/** Counts the policies that differ: those of a unit are different when anything in it is. */
function difference(before: BundleSet | undefined, now: BundleSet | undefined): Difference {
  if (before === now) return { created: 0, updated: 0, deleted: 0 };
  if (before === undefined) return { created: now?.deciding ?? 0, updated: 0, deleted: 0 };
  const earlier = digestsByKey(before);
  const later = digestsByKey(now);
  const created = [...later.keys()].filter((key) => !earlier.has(key)).length;
  const updated = [...later].filter(([key, digest]) => earlier.has(key) && earlier.get(key) !== digest).length;
  return { created, updated, deleted: earlier.size - (later.size - created) };
}

const digestsByKey = (set: BundleSet | undefined): ReadonlyMap<string, string> =>
  new Map(set?.bundle().units.flatMap(({ digest, scopes }) => scopes.map(({ key }) => [key, digest] as const)));

const areSame = (left: ReadonlyMap<string, string> | undefined, right: ReadonlyMap<string, string>): boolean =>
  left?.size === right.size && [...right].every(([id, text]) => left.get(id) === text);

const warning = (place: string, message: string): Finding => ({
  severity: "warning",
  code: "bundle",
  place,
  message,
  printed: `${place}: warning bundle: ${message}`,
});
