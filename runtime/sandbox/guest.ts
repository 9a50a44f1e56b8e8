/** The trusted code that lives in the realm: it keeps the evaluator, and lets only strings and numbers through its door. */
import type { Bundle } from "../bundle.ts";
import { EvalError, invariant } from "../cel/error.ts";
import { typeValues } from "../cel/evaluate/names.ts";
import { Hierarchy } from "../cel/hierarchy.ts";
import { AddressBlock, IpAddress } from "../cel/network.ts";
import { none, Optional } from "../cel/optional.ts";
import { SpiffeId, SpiffeMatcher, TrustDomain } from "../cel/spiffe.ts";
import { CelMap, Duration, Message, Opaque, Timestamp, TypeValue, Uint } from "../cel/value.ts";
import { Query } from "../decide/query.ts";
import { change, load, type Loaded } from "../load.ts";
import { readBundle } from "../read-bundle.ts";
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
let trial: Trial | undefined;
const pending = openPendingChecks();

/** The door: every function takes and answers primitives, and none throws. */
const door = {
  /** Takes settings as JSON. Answers "", or why it kept the old ones. */
  configure: (settingsText: string): string =>
    attempt(() => {
      settings = freezeDeep(readSettings(settingsText));
    }),

  /** Takes a bundle as JSON, whole or in pieces, reuses the units that did not change, swaps. Answers "", or why it kept the old set. */
  load: (...pieces: readonly string[]): string =>
    attempt(() => {
      loaded = load(readBundle(...pieces), evaluateProgram, loaded);
    }),

  /** Takes a change as JSON, builds it on the set in force, swaps. Answers "", or why it kept the old set. */
  change: (changeText: string): string =>
    attempt(() => {
      invariant(loaded !== undefined, "a change needs a set to build on");
      loaded = change(JSON.parse(changeText), evaluateProgram, loaded);
    }),

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
