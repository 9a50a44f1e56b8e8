/** Store -> compiled sets, again and again: reads what changed, compiles everything, tells what came out; and changes the store when asked to. Runs off the thread that answers (D21). */
import { openCompileMemory } from "../compiler/memory.ts";
import type { Source } from "../compiler/source.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { openAnswers, type Ask } from "./answers.ts";
import { openBurst } from "./burst.ts";
import { bundleChange } from "./bundle-change.ts";
import { mostFindings } from "./commands.ts";
import type { Compiled } from "./change-store.ts";
import { compileSet, rememberFindings, type CompiledSet, type Finding } from "./compile-set.ts";
import { digest } from "./digest.ts";
import { openHolding } from "./holding.ts";
import { bundleInPieces } from "./in-pieces.ts";
import { messageOf } from "./refusal.ts";
import { checkOfSchemas, type SchemasCheck } from "./schemas/check.ts";
import type { SchemaFiles, SchemaPlaces } from "./schemas/load.ts";
import { differenceOf, emptyState, withChanges, type Difference, type StoreState } from "./store-state.ts";
import type { Store } from "./store/store.ts";

/** What came of one look at the store. Plain data, but for a text that is written while it is read: it crosses a thread. */
export type Outcome =
  | Good
  | Broken
  /** `again`: for the same reason as when it was asked before. */
  | { readonly kind: "unreachable"; readonly message: string; readonly again?: true }
  /** Something that whoever runs the server should know. */
  | { readonly kind: "remark"; readonly message: string };

/** A set that does not compile. */
export interface Broken {
  readonly kind: "broken";
  /** The errors. */
  readonly findings: readonly Finding[];
  /** Absent where nothing was compiled, because it is the same set as the one before. */
  readonly compileMilliseconds?: number;
  /** It was another one before anybody had to be told: of a file that was being written. */
  readonly passed?: true;
}

/** A set that compiles: the first whole, the next ones as what is different. */
export interface Good extends Difference {
  readonly kind: "set" | "change";
  /** JSON of a `Bundle`, or of a `BundleChange`: the pieces of one text. */
  readonly text: Iterable<string>;
  readonly digest: string;
  readonly policies: number;
  /** The first of those that were not told with the set before. */
  readonly warnings: readonly Finding[];
  /** Absent where nothing was compiled here. */
  readonly compileMilliseconds?: number;
  /** Present when they are not the same as before, or the set is whole. */
  readonly schemas?: SchemaFiles;
}

/** What is followed, and who is told. */
export interface LoopOptions {
  readonly store: Store;
  readonly watch: boolean;
  readonly post: (outcome: Outcome) => void;
  /** Told whenever the store has been asked whether anything is new. */
  readonly polled?: () => void;
  /** Where schemas may come from; absent: nobody looks at schemas. */
  readonly schemas?: SchemaRules;
  /** The same for those who change schemas, whether or not attributes are validated by them. */
  readonly administered?: SchemaRules;
  /** A burst of changes is one change: how long the store must be quiet, and how long a burst may keep us waiting. */
  readonly settleMilliseconds?: number;
  readonly patienceMilliseconds?: number;
  /** How long a set that was good and is broken may stay so before that is told: files are seldom written at once. */
  readonly graceMilliseconds?: number;
}

/** Where schemas may come from, but for how they are fetched. */
export type SchemaRules = Omit<SchemaPlaces, "fetchText">;

/** A store that is being followed. */
export interface Loop {
  /** Tells of the set once more, as a whole: whoever was told of a change could not build on what it has. */
  readonly tellWhole: () => void;
  /** Does what is asked. A change of the store is told of before its answer is there. */
  readonly ask: Ask;
  readonly close: () => Promise<void>;
}

/** Starts to follow a store; the first outcome comes without any change. */
export function followStore(options: LoopOptions): Loop {
  const { store, post, settleMilliseconds = 40, patienceMilliseconds = 400, graceMilliseconds = 500 } = options;
  const memory = openCompileMemory();
  const findingsOf = rememberFindings();
  let warned: readonly Finding[] = [];
  let state = emptyState;
  let check = options.schemas && checkOfSchemas(state.schemas, options.schemas, "warning");
  /** The state that was compiled last, whatever came of it. */
  let judged: StoreState | undefined;
  let cameOut: CompiledSet | undefined;
  /** What was told last, so that the next can be told as a change. */
  let told: { readonly bundle: Bundle; readonly good: Good; readonly sources: StoreState["sources"] } | undefined;
  let toldSchemas: SchemaFiles | undefined;
  let posted: Outcome["kind"] | undefined;
  let closed = false;
  /** Whoever reads or changes the store waits for those before. */
  let queue: Promise<unknown> = Promise.resolve();
  let looking = false;

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work);
    queue = done.catch(() => undefined);
    return done;
  };
  /** What was read since the last look that found something. */
  let news = 0;
  /** They come after what was told of the reading. */
  let remarks: string[] = [];
  const remark = (): void => {
    for (const message of remarks) say({ kind: "remark", message });
    remarks = [];
  };
  /** Why the store was not asked itself, when its last good copy was. */
  let stale: string | undefined;
  let lastFailure: string | undefined;
  const unreachable = (message: string): void => {
    tell({ kind: "unreachable", message, ...(posted === "unreachable" && message === lastFailure && { again: true }) });
    lastFailure = message;
  };
  const absorb = async (thorough: boolean): Promise<void> => {
    options.polled?.();
    const changes = await store.read(thorough);
    stale = changes.staleBecause;
    remarks.push(...(changes.remarks ?? []));
    news += changes.changed.length + changes.removed.length + changes.changedSchemas.length + changes.removedSchemas.length;
    state = withChanges(state, changes);
  };
  const checkOf = (schemas: SchemaFiles): SchemasCheck | undefined =>
    judged === undefined || judged.schemas !== schemas ? check?.withFiles(schemas) : check;
  const compileState = (next: StoreState): Compiled & { readonly check: typeof check } => {
    const began = performance.now();
    const nextCheck = checkOf(next.schemas);
    const sources: Source[] = [];
    next.sources.forEach((source) => void sources.push(source));
    const compiled = compileSet(
      sources,
      { digest, memory, ...(nextCheck !== undefined && { schemas: nextCheck }) },
      next.unreadable,
      findingsOf,
    );
    return { compiled, milliseconds: performance.now() - began, check: nextCheck };
  };
  /** Tells what has come of a state, and from now on takes it for what there is. */
  const settle = (
    next: StoreState,
    { compiled, milliseconds, check: nextCheck }: ReturnType<typeof compileState>,
    mayPass = false,
  ): void => {
    state = judged = next;
    cameOut = compiled;
    check = nextCheck;
    if (compiled.kind === "good") return tell(good(compiled.bundle, compiled.warnings, milliseconds));
    const errors = compiled.findings.filter(({ severity }) => severity === "error");
    const broken: Broken = { kind: "broken", findings: errors, compileMilliseconds: milliseconds };
    if (!mayPass || told === undefined) return tell(broken);
    posted = "broken";
    const before = passing.hold(broken);
    if (before !== undefined) say({ ...before, passed: true });
  };
  const isAhead = (): boolean => state !== judged || posted === "unreachable";
  const look = async (): Promise<void> => {
    looking = false;
    try {
      await absorb(false);
      if (!isAhead()) {
        // It was looked at once more, and is no better.
        if (cameOut?.kind === "broken" && passing.isEmpty()) tell({ kind: "broken", findings: [] });
        return remark();
      }
      const compiled = compileState(state);
      burst.worked(news, compiled.milliseconds);
      news = 0;
      settle(state, compiled, options.watch && posted !== "unreachable");
      if (stale !== undefined) unreachable(stale);
      remark();
    } catch (error) {
      unreachable(messageOf(error));
    }
  };
  const good = (bundle: Bundle, warnings: readonly Finding[], compileMilliseconds: number): Good => {
    const { sources, schemas } = state;
    const whole: Good = {
      kind: "set",
      text: [],
      digest: bundle.manifest.digest,
      policies: sources.size,
      ...differenceOf(told?.sources ?? emptyState.sources, sources),
      warnings: newFindings(warned, warnings).slice(0, mostFindings), // thousands would cross the thread, for nobody to read
      compileMilliseconds,
      ...(options.schemas !== undefined && toldSchemas !== schemas && { schemas: new Map(schemas) }),
    };
    warned = warnings;
    const before = told?.bundle;
    told = { bundle, good: whole, sources };
    toldSchemas = schemas;
    if (before === undefined) return { ...whole, text: bundleInPieces(bundle) };
    return { ...whole, kind: "change", text: [JSON.stringify(bundleChange(before, bundle))] };
  };
  const say = (outcome: Outcome): void => {
    if (!closed) post(outcome);
  };
  const tell = (outcome: Outcome): void => {
    const before = passing.take();
    if (before !== undefined) say(outcome.kind === "unreachable" ? before : { ...before, passed: true });
    posted = outcome.kind;
    say(outcome);
  };
  const passing = openHolding<Broken>(graceMilliseconds, say);
  const burst = openBurst({
    settle: settleMilliseconds,
    patience: patienceMilliseconds,
    run: () => {
      if (!looking) void inTurn(look);
      looking = true;
    },
  });
  const changed = burst.announce;

  const ask = openAnswers(
    {
      store,
      memory,
      places: options.administered ?? { allowRefs: ["store"], allowedHosts: [] },
      refresh: async (thorough) => {
        // Where nobody watches and nobody writes, news come with a reload alone: a question must not wait for another machine.
        if (!thorough && !options.watch && store.readOnly !== undefined && judged !== undefined) return state;
        try {
          await absorb(thorough);
        } catch (error) {
          unreachable(messageOf(error));
          throw error;
        }
        if (isAhead() && options.watch) changed();
        return state;
      },
      isAhead,
      staleBecause: () => stale,
      catchUp: () => {
        const next = compileState(state);
        settle(state, next);
        return next.compiled;
      },
      standing: () => cameOut,
      compile: compileState,
      settle: (next, compiled) => settle(next, { ...compiled, check: checkOf(next.schemas) }),
    },
    inTurn,
  );

  if (options.watch) store.watch(changed);
  void inTurn(look);
  return {
    tellWhole: () => {
      if (told === undefined) return;
      const { bundle, good: last } = told;
      tell({
        ...last,
        warnings: [],
        kind: "set",
        text: bundleInPieces(bundle),
        ...(options.schemas !== undefined && { schemas: new Map(toldSchemas) }),
      });
    },
    ask,
    close: async () => {
      closed = true;
      burst.close();
      passing.take();
      await queue;
      await store.close();
    },
  };
}

/** Those that were not there before; most stand where they stood, and are not looked up. */
function newFindings(before: readonly Finding[], now: readonly Finding[]): readonly Finding[] {
  if (before === now) return [];
  let front = 0;
  while (front < now.length && now[front] === before[front]) front++;
  let back = 0;
  while (back < now.length - front && now.at(-1 - back) === before.at(-1 - back)) back++;
  const known = new Set(before.slice(front, before.length - back));
  return now.slice(front, now.length - back).filter((finding) => !known.has(finding));
}
