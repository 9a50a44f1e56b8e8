/** Opens the realm in which foreign code runs: a vm context of its own, locked down, with a door for strings and numbers. */
import vm from "node:vm";
import type { Form } from "../wire/forms.ts";
import { answerFailure } from "./answer.ts";

/** The texts that a realm is made of; the caller reads them, so that this file knows no paths. */
export interface RealmTexts {
  /** `dist/guest.js`. */
  readonly guest: string;
  /** The script that ses brings: `createRequire(import.meta.url).resolve("ses")`. */
  readonly lockdown: string;
  /** What a realm of these very texts had compiled (`Realm.code`), to begin with. It is program, and trusted as they are. */
  readonly code?: { readonly [Text in keyof RealmCode]: RealmCode[Text] | undefined };
}

/** Texts as the engine has compiled them, in bytes that only an engine of the same version and flags takes. */
export interface RealmCode {
  readonly guest: Uint8Array;
  readonly lockdown: Uint8Array;
}

/** A realm with its evaluator. No object of the realm ever leaves it, and none of ours goes in. */
export interface Realm {
  /** Takes settings as JSON; throws an error of ours when they cannot be read. */
  readonly configure: (settingsText: string) => void;
  /** Takes a bundle as JSON, whole or in pieces; throws an error of ours that says why, and keeps the last good set. */
  readonly load: (...pieces: readonly string[]) => void;
  /**
   * Takes a `BundleChange` as JSON, whole or in pieces; throws an error of ours that says why, and keeps the last good set:
   * also where the change does not build on the set in force.
   */
  readonly change: (...pieces: readonly string[]) => void;
  /** Begins either, to be gone on with little by little, while the set in force answers; what was begun before is given up. */
  readonly begin: (kind: "load" | "change", pieces: Iterable<string>) => void;
  /** Goes on, and says whether the set is in force; throws as `load` and `change` do. */
  readonly goOn: () => boolean;
  /**
   * Answers a request body: the gRPC code in base 36, one character, then the JSON of the reply or of the error. Or `?` and
   * JSON of what must be found out first: `{ handle, tokens: { jwt } | { jwts } | null, schemas: [{ input, source, ref,
   * attributes }] }`; then `resume` answers, or `forget` gives it up. Only so many checks can wait: the oldest are given up.
   * Where `tells` of the settings says so, a line feed and what the host is told besides follow the reply; with `naming` also
   * the errors that conditions met. A message is a text whose characters are its bytes, see `answerCheck`.
   */
  readonly checkResources: (body: string, callId: string, nowMilliseconds: number, form?: Form, naming?: boolean) => string;
  /**
   * Answers a check that waited, as `checkResources` does. What was found out comes as JSON: `{ auxData: { jwt } | { jwts }
   * | null, invalid: reason | null, validation: [[{ path, message }]] }`, with one list for each schema that was asked. Where
   * no schema finds anything wrong, `{ jwt }` or `{ jwts }` alone, and `fine` where there were no tokens.
   */
  readonly resume: (handle: number, foundText: string, callId: string, nowMilliseconds: number) => string;
  readonly forget: (handle: number) => void;
  /** Takes a bundle as JSON, to be tried beside the set in force; throws an error of ours that says why it cannot be loaded. */
  readonly openTrial: (bundleText: string) => void;
  /** Goes on with the trial: "" when all is done, "!" and why the bundle is not to be used, or what comes next ("-": the same as before). */
  readonly tryNext: () => string;
  /** What has been compiled of its texts so far, for `RealmTexts.code`. */
  readonly code: () => RealmCode;
}

// Every option is written down, because what is not can be changed by environment variables.
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

/** What could tell the time, share memory, watch the collector or make programs; our own code has taken what it needs. */
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

/** `a < b` would join lists and bytes to texts, whatever is in them, and count nothing of it: in CEL they have no order. */
const listsHaveNoOrder = `for (const prototype of [Array.prototype, Object.getPrototypeOf(Uint8Array.prototype)])
  Object.defineProperty(prototype, Symbol.toPrimitive, { value: { of(hint) { return hint === "number" ? NaN : this.join(); } }.of });`;

const silent = "the realm did not answer";

/** Opens a realm: lockdown first, then our guest, then everything that neither needs is removed and the global frozen. */
export function openRealm({ guest, lockdown, code }: RealmTexts): Realm {
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, {
    name: "authz units",
    // Lockdown and the compartment make functions from text; WebAssembly has no business here.
    codeGeneration: { strings: true, wasm: false },
    // The realm's promises, should there ever be one, have a queue of their own and cannot starve the host's.
    microtaskMode: "afterEvaluate",
  });

  // What is thrown inside is an object of the realm: it is never looked at.
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
  // The one function that makes a promise of whatever it is given; lockdown would keep it.
  run("promises", "delete Array.fromAsync;");
  // What `lockdown` does, in its two halves.
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
