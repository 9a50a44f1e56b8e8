/** The trusted code that lives in the realm: it keeps the evaluator, and lets only strings and numbers through its door. */
import type { Bundle, BundleChange } from "../bundle.ts";
import { EvalError, invariant } from "../cel/error.ts";
import { typeValues } from "../cel/evaluate/names.ts";
import { Hierarchy } from "../cel/hierarchy.ts";
import { AddressBlock, IpAddress } from "../cel/network.ts";
import { none, Optional } from "../cel/optional.ts";
import { SpiffeId, SpiffeMatcher, TrustDomain } from "../cel/spiffe.ts";
import { CelMap, Duration, Message, Opaque, Timestamp, TypeValue, Uint } from "../cel/value.ts";
import { Query } from "../decide/query.ts";
import { changeInSteps, load, type Loaded, loadInSteps } from "../load.ts";
import { readInSteps } from "../read-bundle.ts";
import { isForm } from "../wire/forms.ts";
import { answerCheck, answerFailure, resumeCheck } from "./answer.ts";
import { openCompartment } from "./compartment.ts";
import { openPendingChecks } from "./pending.ts";
import { reasonOf } from "./reason.ts";
import { defaultSettings, readSettings, type Settings } from "./settings.ts";
import { openTrial, type Trial } from "./trial/trial.ts";

const { evaluateProgram, freezeDeep } = openCompartment();

// What units hold instances of: a class is not reached by freezing what they are given. Nor are values that all units share.
freezeDeep([Query, Uint, Timestamp, Duration, TypeValue, Opaque, Optional, Message, CelMap, EvalError]);
freezeDeep([AddressBlock, Hierarchy, IpAddress, SpiffeId, SpiffeMatcher, TrustDomain]);
freezeDeep([...typeValues.values(), none]);

let settings: Settings = freezeDeep(defaultSettings);
let loaded: Loaded | undefined;
/** The set that is to come, as far as it has been read. */
let coming: Coming | undefined;
let trial: Trial | undefined;
const pending = openPendingChecks();

/** The door: every function takes and answers primitives, and none throws. */
const door = {
  /** Takes settings as JSON. Answers "", or why it kept the old ones. */
  configure: (settingsText: string): string =>
    attempt(() => {
      settings = freezeDeep(readSettings(settingsText));
    }),

  /** Begins a set that is to come, told as a bundle or as a change of the set in force; one that was begun before is given up. */
  begin: (kind: string): string => {
    const pieces: string[] = [];
    coming = { pieces, steps: kind === "change" ? changing(pieces) : loading(pieces) };
    return "";
  },

  /** Takes the next piece of its JSON. */
  bring: (piece: string): string => {
    coming?.pieces.push(piece);
    return "";
  },

  /** Goes on with it, once all pieces are there. Answers "" when it is in force, "+" when there is more to do, "!" and why it is not to be: the old set is kept. */
  goOn: (): string => {
    try {
      invariant(coming !== undefined, "no set is to come");
      const step = coming.steps.next();
      if (step.done !== true) return "+";
      loaded = step.value;
      coming = undefined;
      return "";
    } catch (thrown) {
      coming = undefined;
      return `!${reasonOf(thrown)}`;
    }
  },

  /** Takes a bundle as JSON, to be tried; the set in force stays what it is. Answers "", or why it cannot be loaded. */
  openTrial: (bundleText: string): string =>
    attempt(() => {
      trial = undefined;
      const bundle: Bundle = JSON.parse(bundleText);
      trial = openTrial(bundle, load(bundle, evaluateProgram));
    }),

  /** Goes on with the trial, see `Trial.next`. */
  tryNext: (): string => {
    try {
      return trial === undefined ? "!nothing is being tried" : trial.next();
    } catch (thrown) {
      return `!${reasonOf(thrown)}`;
    }
  },

  /** Answers a check, see `answerCheck`; nothing that happens inside ends the realm. */
  checkResources: (body: string, callId: string, now: number, form: string, naming: number): string =>
    answering(() => answerCheck(loaded, settings, pending, body, callId, now, isForm(form) ? form : undefined, naming === 1)),

  /** Answers a check that waited, see `resumeCheck`. */
  resume: (handle: number, foundText: string, callId: string, now: number): string =>
    answering(() => resumeCheck(pending, handle, foundText, callId, now)),

  /** Gives up a check that waits. */
  forget: (handle: number): string =>
    attempt(() => {
      pending.take(handle);
    }),
};

interface Coming {
  readonly pieces: string[];
  readonly steps: Generator<undefined, Loaded>;
}

/** A bundle: the units that did not change are those of the set in force. */
function* loading(pieces: readonly string[]): Generator<undefined, Loaded> {
  return yield* loadInSteps(yield* readInSteps<Bundle>(pieces), evaluateProgram, loaded);
}

/** A change, built on the set in force. */
function* changing(pieces: readonly string[]): Generator<undefined, Loaded> {
  const read = yield* readInSteps<BundleChange>(pieces);
  invariant(loaded !== undefined, "a change needs a set to build on");
  return yield* changeInSteps(read, evaluateProgram, loaded);
}

function answering(answer: () => string): string {
  try {
    return answer();
  } catch (thrown) {
    return answerFailure(reasonOf(thrown));
  }
}

function attempt(work: () => void): string {
  try {
    work();
    return "";
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

// The host takes the door from here and closes the opening.
Object.defineProperty(globalThis, "authzDoor", { value: door, configurable: true });
