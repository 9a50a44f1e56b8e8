/** A store of compiled policies -> sets, again and again: the counterpart of compile-loop.ts where nothing is compiled here. */
import { bundleChange } from "../compile/bundle-change.ts";
import type { BundleSet } from "../bundle/set.ts";
import { openBundleAnswers } from "./bundle-answers.ts";
import { openBurst } from "./burst.ts";
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

  const ask = openBundleAnswers({
    current: () => inTurn(async () => told?.set),
    reload: async () => {
      const before = told?.set;
      const problem = await inTurn(() => look(true));
      return { ...(problem !== undefined && { problem }), difference: difference(before, told?.set) };
    },
  });

  if (options.watch) store.watch(burst.announce);
  void inTurn(() => look(false));
  return {
    tellWhole: () => {
      if (told === undefined) return;
      const { set, good } = told;
      tell({ ...good, warnings: [], text: bundleInPieces(set.bundle()), ...(options.schemas !== undefined && { schemas: set.schemas }) });
    },
    ask,
    close: async () => {
      closed = true;
      burst.close();
      await ended();
      await store.close();
    },
  };
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
