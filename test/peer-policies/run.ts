/** The differential run: random stores and requests, both servers asked over HTTP, everything compared and counted. */
import { join } from "node:path";
import { type Random, openRandom } from "../agree/random.ts";
import { answersOf, compare, type Difference } from "./compare.ts";
import { explain, rows } from "./differences.ts";
import { makeStore } from "./policies.ts";
import { pickQuirk, type Quirk } from "./quirks.ts";
import { answerHere } from "./ours.ts";
import { requestsTo } from "./requests.ts";
import { withSchemas } from "./schemas.ts";
import { type Program, type Reply, start } from "./server.ts";
import { shrink, type Subject } from "./shrink.ts";
import type { Json, Request, Store, Trial } from "./store.ts";
import { type Side, writeStore } from "./write-files.ts";

/** A difference that no row explains, made small. */
export interface Finding {
  readonly trial: number;
  readonly quirk: Quirk | undefined;
  readonly subject: Subject;
  readonly differences: readonly Difference[];
}

/** A store that one of the two does not take, which no row explains. */
export interface Refusal {
  readonly trial: number;
  readonly quirk: Quirk | undefined;
  readonly store: Store;
  readonly by: Side;
  readonly said: string;
}

/** What a run came to. */
export interface Outcome {
  readonly stores: number;
  /** Neither takes it. */
  readonly refusedByBoth: number;
  readonly decisions: number;
  readonly allowed: number;
  readonly outputs: number;
  /** Places of attributes that violate their schema. */
  readonly violations: number;
  readonly derivedRoles: number;
  /** Requests to which the reference gives several answers, ours among them. */
  readonly unsteady: number;
  /** Decisions by what the reference says decided them: the kind of policy, with or without a scope. */
  readonly decidedBy: ReadonlyMap<string, number>;
  readonly explained: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
  readonly refusals: readonly Refusal[];
}

export interface RunOptions {
  /** A server; `here` is our evaluator in this process, which is quick. */
  readonly ours: Program | "here";
  readonly theirs: Program;
  /** An empty folder that the run may fill. */
  readonly directory: string;
  readonly seed: number;
  readonly decisions: number;
  /** Stops when so many unexplained differences were found. */
  readonly enough: number;
  /** The number of the first trial. */
  readonly from?: number;
  /** Differences are shown as found, which is quick. */
  readonly plain?: boolean;
  readonly onFinding?: (finding: Finding | Refusal) => void;
  readonly onUnsteady?: (trial: number, differences: readonly Difference[]) => void;
  readonly onProgress?: (decisions: number, found: number) => void;
}

const requestsPerStore = 7;

/** How often the reference is started and asked again before a difference is believed. */
const askedAgain = 8;

/** Makes one trial of the run: the same for the same seed. */
export function makeTrial(seed: number, number: number): Trial & { readonly quirk: Quirk | undefined } {
  const random: Random = openRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const quirk = pickQuirk(random);
  const store = withSchemas(random, makeStore(random, quirk));
  return { quirk, store, requests: requestsTo(random, store, quirk, requestsPerStore) };
}

/** What both servers say to a trial. */
type Asked =
  | { readonly kind: "answered"; readonly ours: readonly Reply[]; readonly theirs: readonly Reply[] }
  | { readonly kind: "refused"; readonly ours: string | undefined; readonly theirs: string | undefined };

/** Runs until enough was decided, or enough was found. */
export async function run(options: RunOptions): Promise<Outcome> {
  const { seed, decisions: wanted, enough, onFinding, onUnsteady, onProgress } = options;
  const explained = new Map<string, number>(rows.map(({ name }) => [name, 0]));
  const decidedBy = new Map<string, number>();
  const findings: Finding[] = [];
  const refusals: Refusal[] = [];
  const count = { stores: 0, refusedByBoth: 0, decisions: 0, allowed: 0, outputs: 0, violations: 0, derivedRoles: 0, unsteady: 0 };
  const found = (): number => findings.length + refusals.length;
  const more = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);

  const tally = (reply: Reply): void => {
    for (const { actions, derivedRoles, outputs, violations } of answersOf(reply.body)) {
      count.outputs += outputs.length;
      count.violations += violations.length;
      count.derivedRoles += derivedRoles.length;
      for (const { effect, policy, scope } of actions.values()) {
        count.decisions++;
        if (effect === "EFFECT_ALLOW") count.allowed++;
        more(decidedBy, `${policy.split(".")[0]}${scope === "" ? "" : " in a scope"} ${effect.slice(7).toLowerCase()}`);
      }
    }
  };

  const take = async (number: number, asked: Asked): Promise<void> => {
    const { store, requests, quirk } = makeTrial(seed, number);
    count.stores++;
    if (asked.kind === "refused") {
      if (asked.ours !== undefined && asked.theirs !== undefined) {
        count.refusedByBoth++;
        return;
      }
      const by: Side = asked.ours === undefined ? "theirs" : "ours";
      const row = rows.find(({ refuses }) => refuses?.(store, by) === true);
      if (row !== undefined) return more(explained, row.name);
      const refusal = { trial: number, quirk, store, by, said: asked.ours ?? asked.theirs ?? "" };
      refusals.push(refusal);
      return onFinding?.(refusal);
    }
    for (const [index, request] of requests.entries()) {
      const [ours, theirs] = [asked.ours[index], asked.theirs[index]];
      if (ours === undefined || theirs === undefined) throw new Error("one answer for each request");
      tally(theirs);
      const unexplained = compare(request, ours, theirs).filter((difference) => {
        const row = explain(difference, store, request);
        if (row !== undefined) more(explained, row.name);
        return row === undefined;
      });
      if (unexplained.length === 0 || found() >= enough) continue;
      if (await isUnsteady({ store, request }, ours)) {
        count.unsteady++;
        onUnsteady?.(number, unexplained);
      } else await keep(number, quirk, { store, request }, unexplained);
    }
  };

  /** Asked again and again, the reference sometimes says what we say: it walks maps in random order. */
  const isUnsteady = async (subject: Subject, ours: Reply): Promise<boolean> => {
    for (let turn = 0; turn < askedAgain; turn++) {
      const theirs = await askServer(options.theirs, join(options.directory, "again"), subject.store, [subject.request]);
      const said = typeof theirs === "string" ? undefined : theirs[0];
      if (said === undefined) return false;
      const left = compare(subject.request, ours, said).filter(
        (difference) => explain(difference, subject.store, subject.request) === undefined,
      );
      if (left.length === 0) return true;
    }
    return false;
  };

  const keep = async (trial: number, quirk: Quirk | undefined, subject: Subject, differences: readonly Difference[]): Promise<void> => {
    let shown = { subject, differences };
    if (options.plain !== true)
      await shrinkOn(options, subject, (smaller, ours, theirs) => {
        const left = compare(smaller.request, ours, theirs).filter(
          (difference) =>
            differences.some(({ aspect }) => aspect === difference.aspect) &&
            explain(difference, smaller.store, smaller.request) === undefined,
        );
        if (left.length > 0) shown = { subject: smaller, differences: left };
        return left.length > 0;
      });
    const finding = { trial, quirk, ...shown };
    findings.push(finding);
    onFinding?.(finding);
  };

  // Two stores are under way: while one pair of servers starts, the other answers.
  const next = (number: number): Promise<Asked> => {
    const { store, requests } = makeTrial(seed, number);
    return ask(options, `trial${number % 2}`, store, requests);
  };
  let number = options.from ?? 0;
  let first = next(number);
  while (count.decisions < wanted && found() < enough) {
    const second = next(number + 1);
    await take(number, await first);
    first = second;
    number++;
    if (number % 10 === 0) onProgress?.(count.decisions, found());
  }
  await first;
  return { ...count, decidedBy, explained, findings, refusals };
}

const schemaSettings = ({ schemaEnforcement }: Store): { readonly [part: string]: Json } =>
  schemaEnforcement === undefined ? {} : { schema: { enforcement: schemaEnforcement } };

/** Asks both everything about a store, and ends the servers. */
async function ask({ ours, theirs, directory }: RunOptions, name: string, store: Store, requests: readonly Request[]): Promise<Asked> {
  const said = await Promise.all(
    [ours, theirs].map((side, index) =>
      side === "here" ? answerHere(store, requests) : askServer(side, join(directory, `${name}-${index}`), store, requests),
    ),
  );
  const [a, b] = said;
  if (a === undefined || b === undefined) throw new Error("two sides are asked");
  if (typeof a !== "string" && typeof b !== "string") return { kind: "answered", ours: a, theirs: b };
  return { kind: "refused", ours: typeof a === "string" ? a : undefined, theirs: typeof b === "string" ? b : undefined };
}

/** What a fresh server says, or why it does not start. */
async function askServer(program: Program, folder: string, store: Store, requests: readonly Request[]): Promise<readonly Reply[] | string> {
  writeStore(store, program.reads, folder);
  const started = await start(program, folder, store.settings, false, schemaSettings(store));
  if ("refused" in started) return started.refused;
  try {
    return await Promise.all(requests.map((request) => started.server.ask(request)));
  } finally {
    await started.server.stop();
  }
}

/** Shrinks with one running reference, which takes in each smaller store, and with our evaluator in this process. */
async function shrinkOn(
  { theirs, directory }: RunOptions,
  subject: Subject,
  differs: (smaller: Subject, ours: Reply, theirs: Reply) => boolean,
): Promise<void> {
  const folder = join(directory, "shrink");
  writeStore(subject.store, theirs.reads, folder);
  const started = await start(theirs, folder, subject.store.settings, true, schemaSettings(subject.store));
  if ("refused" in started) return;
  const { server } = started;
  try {
    await shrink(subject, async (smaller) => {
      const ours = await answerHere(smaller.store, [smaller.request]);
      if (typeof ours === "string" || ours[0] === undefined) return false;
      writeStore(smaller.store, theirs.reads, folder);
      return (await server.reload()) && differs(smaller, ours[0], await server.ask(smaller.request));
    });
  } finally {
    await server.stop();
  }
}
