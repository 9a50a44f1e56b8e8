/** Opens the realm in which foreign code runs: a vm context, locked down, that exchanges only strings and numbers. */
import vm from "node:vm";
import type { Form } from "../wire/forms.ts";
import { answerFailure } from "./answer.ts";

/** The source texts of a realm. The caller reads them, so that this file knows no paths. */
export interface RealmTexts {
  /** `dist/guest.js`. */
  readonly guest: string;
  /** The script of ses: `createRequire(import.meta.url).resolve("ses")`. */
  readonly lockdown: string;
  /** Compiled code of the same texts (`Realm.code`), to start faster. It is trusted like the texts. */
  readonly code?: { readonly [Text in keyof RealmCode]: RealmCode[Text] | undefined };
}

/** V8's code cache of the texts; valid only for the same V8 version and flags. */
export interface RealmCode {
  readonly guest: Uint8Array;
  readonly lockdown: Uint8Array;
}

/** A realm with its evaluator. No object of the realm ever leaves it, and none of the host's enters. */
export interface Realm {
  /** Sets the settings from JSON; throws an error of the host's realm if they are invalid. */
  readonly configure: (settingsText: string) => void;
  /**
   * Loads a bundle from JSON, whole or in pieces. Throws an error of the host's realm with the reason, and keeps the
   * last good set.
   */
  readonly load: (...pieces: readonly string[]) => void;
  /**
   * Applies a `BundleChange` from JSON, whole or in pieces. Throws an error of the host's realm with the reason, and
   * keeps the last good set, also if the change does not apply to the set in force.
   */
  readonly change: (...pieces: readonly string[]) => void;
  /** Starts loading either in steps, while the set in force keeps deciding; abandons what was started before. */
  readonly begin: (kind: "load" | "change", pieces: Iterable<string>) => void;
  /** Continues, and returns whether the set is in force; throws as `load` and `change` do. */
  readonly goOn: () => boolean;
  /**
   * Answers a request body: the gRPC code as one base-36 character, then the JSON of the reply or of the error. Or
   * `?` and JSON of what must be found out first: `{ handle, tokens: { jwt } | { jwts } | null, schemas: [{ input,
   * source, ref, attributes }] }`; the caller then calls `resume` or `forget`. The number of waiting checks is
   * bounded; the oldest are dropped. Depending on the setting `tells`, a line feed and data for the host follow the
   * reply; with `naming` also the errors of conditions. A protobuf message is a string with one byte a character, see
   * `answerCheck`.
   */
  readonly checkResources: (body: string, callId: string, nowMilliseconds: number, form?: Form, naming?: boolean) => string;
  /**
   * Completes a waiting check; returns the same as `checkResources`. `foundText` is JSON: `{ auxData: { jwt } | {
   * jwts } | null, invalid: reason | null, validation: [[{ path, message }]] }`, with one list for each schema
   * question. Short forms if no schema is violated: `{ jwt }` or `{ jwts }` alone, or `fine` if there were no tokens.
   */
  readonly resume: (handle: number, foundText: string, callId: string, nowMilliseconds: number) => string;
  readonly forget: (handle: number) => void;
  /**
   * Loads a bundle from JSON for a trial beside the set in force; throws an error of the host's realm if it cannot be
   * loaded.
   */
  readonly openTrial: (bundleText: string) => void;
  /**
   * Continues the trial. Returns "" when it is done, "!" and the reason why the bundle must not be used, or a
   * description of the next step ("-": the same as before).
   */
  readonly tryNext: () => string;
  /** The code compiled so far, for `RealmTexts.code`. */
  readonly code: () => RealmCode;
}

// Every option is listed, because environment variables can change the ones that are not.
const lockdownOptions = {
  reporting: "none",
  errorTaming: "safe",
  overrideTaming: "severe",
  localeTaming: "safe",
  regExpTaming: "safe",
  consoleTaming: "unsafe",
  domainTaming: "unsafe",
  evalTaming: "safe-eval",
  errorTrapping: "none",
  unhandledRejectionTrapping: "none",
  stackFiltering: "verbose",
  overrideDebug: [],
  legacyRegeneratorRuntimeTaming: "safe",
  __hardenTaming__: "safe",
} as const;

/**
 * Globals that could read the time, share memory, observe garbage collection or create programs. Our own code
 * captured what it needs.
 */
const removed = [
  "WebAssembly",
  "SharedArrayBuffer",
  "Atomics",
  "WeakRef",
  "FinalizationRegistry",
  "Intl",
  "console",
  "Compartment",
  "lockdown",
  "repairIntrinsics",
  "hardenIntrinsics",
  "harden",
  "getStackString",
  "assert",
  "eval",
  "Function",
] as const;

/**
 * JavaScript's `a < b` would convert lists and bytes to strings, at a cost that nobody counts. In CEL they have no
 * order, so make it false.
 */
const listsHaveNoOrder = `for (const prototype of [Array.prototype, Object.getPrototypeOf(Uint8Array.prototype)])
  Object.defineProperty(prototype, Symbol.toPrimitive, { value: { of(hint) { return hint === "number" ? NaN : this.join(); } }.of });`;

const silent = "the realm did not answer";

/**
 * Opens a realm: lockdown, then our guest code; then removes all globals that neither needs, and freezes the global
 * object.
 */
export function openRealm({ guest, lockdown, code }: RealmTexts): Realm {
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, {
    name: "authz units",
    // Lockdown and the compartment create functions from text; WebAssembly is not needed.
    codeGeneration: { strings: true, wasm: false },
    // If the realm ever has promises, they have a queue of their own and cannot starve the host's.
    microtaskMode: "afterEvaluate",
  });

  // What is thrown inside is an object of the realm, so it is never inspected.
  const runScript = (step: string, script: vm.Script): unknown => {
    try {
      return script.runInContext(context);
    } catch {
      throw new Error(`cannot open the sandbox: ${step} failed`);
    }
  };
  const compile = (step: string, text: string, cachedData?: Uint8Array): vm.Script =>
    new vm.Script(text, { filename: `authz:${step}`, cachedData });
  const run = (step: string, text: string): unknown => runScript(step, compile(step, text));

  const lockdownScript = compile("ses", lockdown, code?.lockdown);
  const guestScript = compile("guest", guest, code?.guest);
  runScript("ses", lockdownScript);
  // Array.fromAsync creates a promise from any value, and lockdown would keep it.
  run("promises", "delete Array.fromAsync;");
  // The two halves of `lockdown`.
  run("lockdown", `repairIntrinsics(${JSON.stringify(lockdownOptions)});`);
  run("orders", listsHaveNoOrder);
  run("lockdown", "hardenIntrinsics();");
  runScript("guest", guestScript);
  const configure = run("door", "authzDoor.configure");
  const begin = run("door", "authzDoor.begin");
  const bring = run("door", "authzDoor.bring");
  const goOn = run("door", "authzDoor.goOn");
  const checkResources = run("door", "authzDoor.checkResources");
  const resume = run("door", "authzDoor.resume");
  const forget = run("door", "authzDoor.forget");
  const openTrial = run("door", "authzDoor.openTrial");
  const tryNext = run("door", "authzDoor.tryNext");
  run(
    "removal",
    `for (const name of ${JSON.stringify([...removed, "authzDoor"])}) delete globalThis[name]; Object.freeze(globalThis); "";`,
  );

  const ask = (guestFunction: unknown, ...words: readonly (string | number)[]): string | undefined => {
    try {
      const answer: unknown = typeof guestFunction === "function" ? guestFunction(...words) : undefined;
      return typeof answer === "string" ? answer : undefined;
    } catch {
      return undefined;
    }
  };
  const demand = (what: string, guestFunction: unknown, ...texts: readonly string[]): void => {
    const reason = ask(guestFunction, ...texts) ?? silent;
    if (reason !== "") throw new Error(`cannot ${what}: ${reason}`);
  };
  let begun = "";
  const beginSet: Realm["begin"] = (kind, pieces) => {
    begun = `${kind} the policies`;
    demand(begun, begin, kind);
    for (const piece of pieces) demand(begun, bring, piece);
  };
  const goOnWithSet = (): boolean => {
    const answer = ask(goOn) ?? `!${silent}`;
    if (answer.startsWith("!")) throw new Error(`cannot ${begun}: ${answer.slice(1)}`);
    return answer === "";
  };
  const takeAtOnce = (kind: "load" | "change", pieces: readonly string[]): void => {
    beginSet(kind, pieces);
    while (!goOnWithSet());
  };
  return {
    configure: (settingsText) => demand("take the settings", configure, settingsText),
    load: (...pieces) => takeAtOnce("load", pieces),
    change: (...pieces) => takeAtOnce("change", pieces),
    begin: beginSet,
    goOn: goOnWithSet,
    checkResources: (body, callId, now, form = "CheckResources", naming = false) =>
      ask(checkResources, body, callId, now, form, naming ? 1 : 0) ?? answerFailure(silent),
    resume: (handle, foundText, callId, now) => ask(resume, handle, foundText, callId, now) ?? answerFailure(silent),
    forget: (handle) => void ask(forget, handle),
    openTrial: (bundleText) => demand("load the policies", openTrial, bundleText),
    tryNext: () => ask(tryNext) ?? `!${silent}`,
    code: () => ({ guest: guestScript.createCachedData(), lockdown: lockdownScript.createCachedData() }),
  };
}
