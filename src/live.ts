/** The policy set in force: compiled in a thread of its own, swapped in when it is good, kept when the next one is not. */
import { Worker } from "node:worker_threads";
import { artefact } from "./artefact.ts";
import type { Finding, LoopOptions, Outcome } from "./compile-loop.ts";
import { count } from "./count.ts";
import type { Log } from "./observe/log.ts";
import { messageOf, refusal } from "./refusal.ts";
import type { Engine } from "./engine.ts";
import { watches, type StorageConfig } from "./store/index.ts";

/** What the thread that compiles is given: plain data. */
export interface CompileWork {
  readonly storage: StorageConfig;
  /** Absent when attributes are not validated: then nobody looks at schemas. */
  readonly schemas?: LoopOptions["schemas"];
}

/** Where policies come from, and where they go. */
export interface LiveOptions extends CompileWork {
  /** Puts a set in force; throws when it cannot be loaded, and then the one before stays. */
  readonly engine: Pick<Engine, "load" | "change">;
  readonly log: Log;
}

/** The set in force. */
export interface Live {
  /** How many policy files the set in force is made of. */
  readonly policies: () => number;
  readonly close: () => Promise<void>;
}

/** Findings logged of one broken set; who broke more than this will look at the first ones anyway. */
const mostFindings = 20;
const restartMilliseconds = 1000;

/** Starts the thread and waits for the first set; rejects with a refusal when there is none. */
export async function openLive(options: LiveOptions): Promise<Live> {
  const { log, storage, schemas, engine } = options;
  const work: CompileWork = { storage, ...(schemas !== undefined && { schemas }) };
  let policies = 0;
  let worker = startWorker(work);
  let closing = false;

  const takeIn = (outcome: Outcome): void => {
    switch (outcome.kind) {
      case "set":
      case "change":
        if (outcome.kind === "set") engine.load(outcome.text, outcome.schemas);
        else engine.change(outcome.text, outcome.schemas);
        policies = outcome.policies;
        for (const warning of outcome.warnings.slice(0, mostFindings)) log.warn(fields(warning), sentence(warning));
        log.info({ "authz.policies": policies, "authz.policy_set": outcome.digest }, `policies loaded from ${count(policies, "file")}`);
        return;
      case "broken":
        for (const finding of outcome.findings.slice(0, mostFindings))
          log[finding.severity === "error" ? "error" : "warn"](fields(finding), sentence(finding));
        log.error(`${countErrors(outcome.findings)} in the changed policies: the last good set keeps answering`);
        return;
      case "unreachable":
        log.error(`${outcome.message}: the last good set keeps answering`);
    }
  };
  const listen = (): void => {
    worker.on("message", (outcome: Outcome) => {
      try {
        takeIn(outcome);
      } catch (error) {
        if (outcome.kind === "change") return worker.postMessage("whole");
        log.error({ err: error }, "the changed policies could not be loaded: the last good set keeps answering");
      }
    });
    worker.on("error", (error) => {
      log.error({ err: error }, "the compile thread failed and is started again: the last good set keeps answering");
    });
    worker.on("exit", () => {
      if (closing) return;
      setTimeout(() => {
        if (closing) return;
        worker = startWorker(work);
        listen();
      }, restartMilliseconds).unref();
    });
  };

  try {
    takeInFirst(await firstOutcome(worker), takeIn);
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  if (watches(storage)) listen();
  else await worker.terminate(); // nothing will change: give the memory back

  return {
    policies: () => policies,
    close: async () => {
      closing = true;
      await worker.terminate();
    },
  };
}

function startWorker(work: CompileWork): Worker {
  return new Worker(artefact("compile-worker.js"), { workerData: work, name: "compile" });
}

function firstOutcome(worker: Worker): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(refusal("the compile thread ended before it had read the policies")));
  });
}

/** The first set must be good: there is nothing to keep instead. */
function takeInFirst(outcome: Outcome, takeIn: (outcome: Outcome) => void): void {
  if (outcome.kind === "unreachable") throw refusal(outcome.message);
  if (outcome.kind === "broken") {
    const printed = outcome.findings.map((finding) => finding.printed).join("\n\n");
    throw refusal(`${printed}\n\nthe policies do not compile: ${countErrors(outcome.findings)}`);
  }
  try {
    takeIn(outcome);
  } catch (error) {
    throw new Error(`the compiled policies could not be loaded: ${messageOf(error)}`, { cause: error });
  }
}

const countErrors = (findings: readonly Finding[]): string =>
  count(findings.filter((finding) => finding.severity === "error").length, "error");

function sentence(finding: Finding): string {
  return `${finding.place}: ${finding.message}${finding.hint === undefined ? "" : ` (${finding.hint})`}`;
}

function fields(finding: Finding): { readonly [name: string]: string } {
  return { "authz.diagnostic.code": finding.code, "authz.diagnostic.place": finding.place };
}
