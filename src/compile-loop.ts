/** Store -> compiled sets, again and again: reads what changed, compiles everything, tells what came out; and changes the store when asked to. Runs off the thread that answers (D21). */
import { openCompileMemory } from "../compiler/memory.ts";
import type { Source } from "../compiler/source.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { refuseBroken, type Change } from "./admin/changes/change.ts";
import { putPolicies } from "./admin/changes/put-policies.ts";
import { deleteSchemas, putSchemas } from "./admin/changes/schemas.ts";
import { passwordMatches } from "./admin/password-hash.ts";
import { openBurst } from "./burst.ts";
import { bundleChange } from "./bundle-change.ts";
import { refused, type Answers, type Changed, type Command, type Refused } from "./commands.ts";
import { compileSet, type CompiledSet, type Finding } from "./compile-set.ts";
import { digest } from "./digest.ts";
import { isRefusal, messageOf } from "./refusal.ts";
import { checkOfSchemas, type SchemasCheck } from "./schemas/check.ts";
import type { SchemaFiles, SchemaPlaces } from "./schemas/load.ts";
import { differenceOf, emptyState, withChanges, type Difference, type StoreState } from "./store-state.ts";
import type { Store } from "./store/store.ts";

/** What came of one look at the store. Plain data: it crosses a thread. */
export type Outcome =
  | Good
  | { readonly kind: "broken"; readonly findings: readonly Finding[]; readonly compileMilliseconds: number }
  | { readonly kind: "unreachable"; readonly message: string };

/** A set that compiles: the first whole, the next ones as what is different. */
export interface Good extends Difference {
  readonly kind: "set" | "change";
  /** JSON of a `Bundle`, or of a `BundleChange`. */
  readonly text: string;
  readonly digest: string;
  readonly policies: number;
  readonly warnings: readonly Finding[];
  readonly compileMilliseconds: number;
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
}

/** Where schemas may come from, but for how they are fetched. */
export type SchemaRules = Omit<SchemaPlaces, "fetchText">;

/** A store that is being followed. */
export interface Loop {
  /** Tells of the set once more, as a whole: whoever was told of a change could not build on what it has. */
  readonly tellWhole: () => void;
  /** Does what is asked. A change of the store is told of before its answer is there. */
  readonly ask: <C extends Command>(command: C) => Promise<Answers[C["kind"]]>;
  readonly close: () => Promise<void>;
}

/** How often a write begins again when somebody else changes the same at the same time. */
const mostAttempts = 5;

const notYet = refused("store", "this cannot be asked yet");

/** Starts to follow a store; the first outcome comes without any change. */
export function followStore(options: LoopOptions): Loop {
  const { store, post, settleMilliseconds = 40, patienceMilliseconds = 400 } = options;
  const memory = openCompileMemory();
  let state = emptyState;
  let check = options.schemas && checkOfSchemas(state.schemas, options.schemas, "warning");
  /** The state that was compiled last, whatever came of it. */
  let judged: StoreState | undefined;
  /** What was told last, so that the next can be told as a change. */
  let told: { readonly bundle: Bundle; readonly good: Good; readonly sources: ReadonlyMap<string, Source> } | undefined;
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
  const absorb = async (thorough: boolean): Promise<void> => {
    state = withChanges(state, await store.read(thorough));
    options.polled?.();
  };
  const checkOf = (schemas: SchemaFiles): SchemasCheck | undefined =>
    judged === undefined || judged.schemas !== schemas ? check?.withFiles(schemas) : check;
  const compileState = (
    next: StoreState,
  ): { readonly compiled: CompiledSet; readonly milliseconds: number; readonly check: typeof check } => {
    const began = performance.now();
    const nextCheck = checkOf(next.schemas);
    const compiled = compileSet(
      [...next.sources.values()],
      { digest, memory, ...(nextCheck !== undefined && { schemas: nextCheck }) },
      next.unreadable,
    );
    return { compiled, milliseconds: performance.now() - began, check: nextCheck };
  };
  /** Tells what has come of a state, and from now on takes it for what there is. */
  const settle = (next: StoreState, { compiled, milliseconds, check: nextCheck }: ReturnType<typeof compileState>): void => {
    state = judged = next;
    check = nextCheck;
    if (compiled.kind === "good") tell(good(compiled.bundle, compiled.warnings, milliseconds));
    else tell({ kind: "broken", findings: compiled.findings, compileMilliseconds: milliseconds });
  };
  const look = async (): Promise<void> => {
    looking = false;
    try {
      await absorb(false);
      if (state === judged && posted !== "unreachable") return;
      const isNew = state !== judged;
      settle(state, compileState(state));
      if (isNew && options.watch) changed(); // a change seldom comes alone, and not every one is announced
    } catch (error) {
      if (posted !== "unreachable") tell({ kind: "unreachable", message: messageOf(error) });
    }
  };
  const good = (bundle: Bundle, warnings: readonly Finding[], compileMilliseconds: number): Good => {
    const { sources, schemas } = state;
    const whole: Good = {
      kind: "set",
      text: "",
      digest: bundle.manifest.digest,
      policies: sources.size,
      ...differenceOf(told?.sources ?? emptyState.sources, sources),
      warnings,
      compileMilliseconds,
      ...(options.schemas !== undefined && toldSchemas !== schemas && { schemas: new Map(schemas) }),
    };
    const before = told?.bundle;
    told = { bundle, good: whole, sources };
    toldSchemas = schemas;
    if (before === undefined) return { ...whole, text: JSON.stringify(bundle) };
    return { ...whole, kind: "change", text: JSON.stringify(bundleChange(before, bundle)) };
  };
  const tell = (outcome: Outcome): void => {
    posted = outcome.kind;
    if (!closed) post(outcome);
  };
  const burst = openBurst({
    settle: settleMilliseconds,
    patience: patienceMilliseconds,
    run: () => {
      if (!looking) void inTurn(look);
      looking = true;
    },
  });
  const changed = burst.announce;

  const write = async (plan: (standing: Parameters<typeof putSchemas>[1]) => Change | Refused): Promise<Changed | Refused> => {
    if (store.readOnly !== undefined) return refused("read-only", store.readOnly);
    try {
      for (let attempt = 0; attempt < mostAttempts; attempt++) {
        await absorb(true);
        // What somebody else has changed is told of by itself: it is not part of this change.
        if (state !== judged) settle(state, compileState(state));
        const at = Date.now();
        const places = options.administered ?? { allowRefs: ["store"], allowedHosts: [] };
        const change = plan({ state, store, memory, places, at });
        if (change.kind === "refused") return change;
        if (change.count === 0) return { kind: "changed", count: 0 };
        const next = compileState(change.state);
        if (next.compiled.kind === "broken") return refuseBroken(next.compiled, change.asked);
        if ((await store.write(change.batch, at)) === "stale") continue;
        settle(change.state, next);
        return { kind: "changed", count: change.count };
      }
      return refused("store", "somebody else goes on changing the same at the same time: try again");
    } catch (error) {
      if (isRefusal(error)) return refused("store", error.message);
      throw error;
    }
  };
  const schemaTexts = async (): Promise<SchemaFiles> => {
    await absorb(false);
    if (state !== judged && options.watch) changed();
    return state.schemas;
  };
  /** Keyed by what is asked, so that none can be forgotten. */
  const asked: { readonly [K in Command["kind"]]: (command: Extract<Command, { kind: K }>) => Promise<Answers[K]> } = {
    "list schemas": async () => [...(await inTurn(schemaTexts)).keys()],
    "get schemas": async ({ ids }) => {
      const schemas = await inTurn(schemaTexts);
      return ids.flatMap((id) => {
        const text = schemas.get(id);
        return text === undefined ? [] : [{ id, text }];
      });
    },
    "put schemas": ({ schemas }) => inTurn(() => write((standing) => putSchemas(schemas, standing))),
    "delete schemas": ({ ids }) => inTurn(() => write((standing) => deleteSchemas(ids, standing))),
    "list policies": async () => notYet,
    "get policies": async () => notYet,
    "inspect policies": async () => notYet,
    "enable policies": async () => notYet,
    "disable policies": async () => notYet,
    "delete policies": async () => notYet,
    reload: async () => notYet,
    "purge revisions": async () => notYet,
    "put policies": ({ policies }) => inTurn(() => write((standing) => putPolicies(policies, standing))),
    "verify password": ({ password, hash }) => passwordMatches(password, hash),
  };

  if (options.watch) store.watch(changed);
  void inTurn(look);
  return {
    tellWhole: () => {
      if (told === undefined) return;
      const { bundle, good: last } = told;
      tell({ ...last, kind: "set", text: JSON.stringify(bundle), ...(options.schemas !== undefined && { schemas: new Map(toldSchemas) }) });
    },
    // Each kind is answered by its own row, which the type of a row looked up by its key cannot say.
    ask: (command) => asked[command.kind](command as never) as never,
    close: async () => {
      closed = true;
      burst.close();
      await queue;
      await store.close();
    },
  };
}
