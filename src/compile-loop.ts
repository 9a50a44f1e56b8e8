/** Store -> compiled sets, again and again: reads what changed, compiles everything, tells what came out. Runs off the thread that answers (D21). */
import type { Diagnostic } from "../compiler/diagnostic.ts";
import { compile, type Compilation, type CompileOptions } from "../compiler/index.ts";
import { openCompileMemory } from "../compiler/memory.ts";
import { misplacedSchemas } from "../compiler/policy/misplaced-schemas.ts";
import { isMisplacedSchemas } from "../compiler/policy/paths.ts";
import { printDiagnostic } from "../compiler/print-diagnostics.ts";
import { printPlace, type Source } from "../compiler/source.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { bundleChange } from "./bundle-change.ts";
import { digest } from "./digest.ts";
import { messageOf } from "./refusal.ts";
import { checkOfSchemas } from "./schemas/check.ts";
import type { SchemaFiles, SchemaPlaces } from "./schemas/load.ts";
import { printUnreadable, type Store, type Unreadable } from "./store/store.ts";

/** What came of one look at the store. Plain data: it crosses a thread. */
export type Outcome =
  | Good
  | { readonly kind: "broken"; readonly findings: readonly Finding[] }
  | { readonly kind: "unreachable"; readonly message: string };

/** A set that compiles: the first whole, the next ones as what is different. */
export interface Good {
  readonly kind: "set" | "change";
  /** JSON of a `Bundle`, or of a `BundleChange`. */
  readonly text: string;
  readonly digest: string;
  readonly policies: number;
  readonly warnings: readonly Finding[];
  /** Present when they are not the same as before, or the set is whole. */
  readonly schemas?: SchemaFiles;
}

/** One diagnostic, printed. */
export interface Finding {
  readonly severity: "error" | "warning";
  readonly code: string;
  /** `expense.yaml:3:5`. */
  readonly place: string;
  readonly message: string;
  readonly hint?: string;
  /** With the frame of source text around it. */
  readonly printed: string;
}

/** What is followed, and who is told. */
export interface LoopOptions {
  readonly store: Store;
  readonly watch: boolean;
  readonly post: (outcome: Outcome) => void;
  /** Where schemas may come from; absent: nobody looks at schemas. */
  readonly schemas?: Omit<SchemaPlaces, "fetchText">;
  /** A burst of changes is one change: how long the store must be quiet, and how long a burst may keep us waiting. */
  readonly settleMilliseconds?: number;
  readonly patienceMilliseconds?: number;
}

/** A store that is being followed. */
export interface Loop {
  /** Tells of the set once more, as a whole: whoever was told of a change could not build on what it has. */
  readonly tellWhole: () => void;
  readonly close: () => Promise<void>;
}

/** Starts to follow a store; the first outcome comes without any change. */
export function followStore(options: LoopOptions): Loop {
  const { store, post, settleMilliseconds = 40, patienceMilliseconds = 400 } = options;
  const sources = new Map<string, Source>();
  const schemas = new Map<string, string>();
  const memory = openCompileMemory();
  let check = options.schemas && checkOfSchemas(schemas, options.schemas, "warning");
  /** What was told last, so that the next can be told as a change. */
  let told: { readonly bundle: Bundle; readonly good: Good } | undefined;
  let schemasTold = false;
  let posted: Outcome["kind"] | undefined;
  let unreadableBefore = "";
  let timer: NodeJS.Timeout | undefined;
  let burstSince = 0;
  let running: Promise<void> | undefined;
  let again = false;
  let closed = false;

  const look = async (): Promise<void> => {
    try {
      const { changed, removed, changedSchemas, removedSchemas, unreadable } = await store.read();
      const unreadableNow = JSON.stringify(unreadable);
      const sameSchemas = options.schemas === undefined || changedSchemas.length + removedSchemas.length === 0;
      const same = changed.length + removed.length === 0 && sameSchemas && unreadableNow === unreadableBefore;
      if (same && posted !== undefined && posted !== "unreachable") return;
      unreadableBefore = unreadableNow;
      for (const path of [...removed, ...unreadable.map((file) => file.path)]) sources.delete(path);
      for (const source of changed) sources.set(source.path, source);
      if (!sameSchemas) schemasTold = false;
      for (const path of removedSchemas) schemas.delete(path);
      for (const { path, text } of changedSchemas) schemas.set(path, text);
      if (!same && options.watch) again = true; // a change seldom comes alone, and not every one is announced
      if (!sameSchemas) check = check?.withFiles(new Map(schemas));
      const outcome = compileSources(
        [...sources.values()],
        { digest, memory, ...(check !== undefined && { schemas: check }) },
        unreadable.map(unreadableFinding),
      );
      tell(outcome.kind === "broken" ? outcome : good(outcome.bundle, outcome.warnings));
    } catch (error) {
      if (posted !== "unreachable") tell({ kind: "unreachable", message: messageOf(error) });
    }
  };
  const good = (bundle: Bundle, warnings: readonly Finding[]): Good => {
    const whole: Good = {
      kind: "set",
      text: "",
      digest: bundle.manifest.digest,
      policies: sources.size,
      warnings,
      ...(options.schemas !== undefined && !schemasTold && { schemas: new Map(schemas) }),
    };
    const before = told?.bundle;
    told = { bundle, good: whole };
    schemasTold = true;
    if (before === undefined) return { ...whole, text: JSON.stringify(bundle) };
    return { ...whole, kind: "change", text: JSON.stringify(bundleChange(before, bundle)) };
  };
  const tell = (outcome: Outcome): void => {
    posted = outcome.kind;
    if (!closed) post(outcome);
  };
  const run = (): void => {
    timer = undefined;
    if (running !== undefined) {
      again = true;
      return;
    }
    running = look().finally(() => {
      running = undefined;
      if (again && !closed) changed();
      again = false;
    });
  };
  const changed = (): void => {
    if (closed) return;
    const now = performance.now();
    if (timer === undefined) burstSince = now;
    else clearTimeout(timer);
    timer = setTimeout(run, Math.min(settleMilliseconds, Math.max(0, burstSince + patienceMilliseconds - now)));
  };

  if (options.watch) store.watch(changed);
  run();
  return {
    tellWhole: () => {
      if (told === undefined) return;
      const { bundle, good: last } = told;
      tell({ ...last, kind: "set", text: JSON.stringify(bundle), ...(options.schemas !== undefined && { schemas: new Map(schemas) }) });
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await running;
      await store.close();
    },
  };
}

type Compiled =
  | { readonly kind: "good"; readonly bundle: Bundle; readonly warnings: readonly Finding[] }
  | { readonly kind: "broken"; readonly findings: readonly Finding[] };

/** Compiles a whole store; what is found wrong beside the compiler's diagnostics keeps the set from being used too. */
function compileSources(sources: readonly Source[], options: CompileOptions, besides: readonly Finding[]): Compiled {
  let compilation: Compilation;
  try {
    compilation = compile(sources, options);
  } catch (error) {
    // A bug of ours must not take the last good set away: it is reported like a broken policy, and the next change tries again.
    const message = `the compiler failed: ${messageOf(error)}`;
    const printed = error instanceof Error ? (error.stack ?? message) : message;
    return { kind: "broken", findings: [...besides, { severity: "error", code: "internal-error", place: "policies", message, printed }] };
  }
  const { diagnostics, compiled } = compilation;
  const findings = [...besides, ...diagnostics.map(finding)];
  if (compiled === undefined || besides.length > 0) return { kind: "broken", findings };
  return { kind: "good", bundle: compiled.bundle, warnings: findings };
}

function unreadableFinding(file: Unreadable): Finding {
  if (isMisplacedSchemas(file.path)) return finding(misplacedSchemas(file.path));
  return { severity: "error", code: "unreadable-file", place: file.path, message: file.message, printed: printUnreadable(file) };
}

function finding(diagnostic: Diagnostic): Finding {
  const { severity, code, message, hint, span, source } = diagnostic;
  const place = span === undefined ? (source?.path ?? "policies") : printPlace(span);
  return { severity, code, place, message, ...(hint !== undefined && { hint }), printed: printDiagnostic(diagnostic) };
}
