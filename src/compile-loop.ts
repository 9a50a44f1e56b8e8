/** Store -> compiled sets, again and again: reads what changed, compiles everything, tells what came out. Runs off the thread that answers (D21). */
import type { Diagnostic } from "../compiler/diagnostic.ts";
import { compile, type Compilation } from "../compiler/index.ts";
import { printDiagnostic } from "../compiler/print-diagnostics.ts";
import { printPlace, type Source } from "../compiler/source.ts";
import { digest } from "./digest.ts";
import { messageOf } from "./refusal.ts";
import { printUnreadable, type Store, type Unreadable } from "./store/store.ts";

/** What came of one look at the store. Plain data: it crosses a thread. */
export type Outcome =
  | {
      readonly kind: "set";
      readonly bundle: string;
      readonly digest: string;
      readonly policies: number;
      readonly warnings: readonly Finding[];
    }
  | { readonly kind: "broken"; readonly findings: readonly Finding[] }
  | { readonly kind: "unreachable"; readonly message: string };

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
  /** A burst of changes is one change: how long the store must be quiet, and how long a burst may keep us waiting. */
  readonly settleMilliseconds?: number;
  readonly patienceMilliseconds?: number;
}

/** A store that is being followed. */
export interface Loop {
  readonly close: () => Promise<void>;
}

/** Starts to follow a store; the first outcome comes without any change. */
export function followStore(options: LoopOptions): Loop {
  const { store, post, settleMilliseconds = 40, patienceMilliseconds = 400 } = options;
  const sources = new Map<string, Source>();
  let posted: Outcome["kind"] | undefined;
  let unreadableBefore = "";
  let timer: NodeJS.Timeout | undefined;
  let burstSince = 0;
  let running: Promise<void> | undefined;
  let again = false;
  let closed = false;

  const look = async (): Promise<void> => {
    try {
      const { changed, removed, unreadable } = await store.read();
      const unreadableNow = JSON.stringify(unreadable);
      const same = changed.length === 0 && removed.length === 0 && unreadableNow === unreadableBefore;
      if (same && posted !== undefined && posted !== "unreachable") return;
      unreadableBefore = unreadableNow;
      for (const path of [...removed, ...unreadable.map((file) => file.path)]) sources.delete(path);
      for (const source of changed) sources.set(source.path, source);
      if (!same && options.watch) again = true; // a change seldom comes alone, and not every one is announced
      tell(compileSources([...sources.values()], unreadable.map(unreadableFinding)));
    } catch (error) {
      if (posted !== "unreachable") tell({ kind: "unreachable", message: messageOf(error) });
    }
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
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await running;
      await store.close();
    },
  };
}

/** Compiles a whole store; what is found wrong beside the compiler's diagnostics keeps the set from being used too. */
function compileSources(sources: readonly Source[], besides: readonly Finding[]): Outcome {
  let compilation: Compilation;
  try {
    compilation = compile(sources, { digest });
  } catch (error) {
    // A bug of ours must not take the last good set away: it is reported like a broken policy, and the next change tries again.
    const message = `the compiler failed: ${messageOf(error)}`;
    const printed = error instanceof Error ? (error.stack ?? message) : message;
    return { kind: "broken", findings: [...besides, { severity: "error", code: "internal-error", place: "policies", message, printed }] };
  }
  const { diagnostics, compiled } = compilation;
  const findings = [...besides, ...diagnostics.map(finding)];
  if (compiled === undefined || besides.length > 0) return { kind: "broken", findings };
  const { bundle } = compiled;
  return { kind: "set", bundle: JSON.stringify(bundle), digest: bundle.manifest.digest, policies: sources.length, warnings: findings };
}

function unreadableFinding(file: Unreadable): Finding {
  return { severity: "error", code: "unreadable-file", place: file.path, message: file.message, printed: printUnreadable(file) };
}

function finding(diagnostic: Diagnostic): Finding {
  const { severity, code, message, hint, span, source } = diagnostic;
  const place = span === undefined ? (source?.path ?? "policies") : printPlace(span);
  return { severity, code, place, message, ...(hint !== undefined && { hint }), printed: printDiagnostic(diagnostic) };
}
