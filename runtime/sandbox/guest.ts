/** The trusted code inside the realm. It holds the evaluator and exchanges only strings and numbers with the host. */
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

// Freeze the classes of which units receive instances, because freezing the instances does not reach them; and values
// shared by all units.
freezeDeep([Query, Uint, Timestamp, Duration, TypeValue, Opaque, Optional, Message, CelMap, EvalError]);
freezeDeep([AddressBlock, Hierarchy, IpAddress, SpiffeId, SpiffeMatcher, TrustDomain]);
freezeDeep([...typeValues.values(), none]);

let settings: Settings = freezeDeep(defaultSettings);
let loaded: Loaded | undefined;
/** The policy set being loaded. */
let coming: Coming | undefined;
let trial: Trial | undefined;
const pending = openPendingChecks();

/** The interface to the host: every function takes and returns primitives, and none throws. */
const door = {
  /** Sets the settings from JSON. Returns "", or why the old ones were kept. */
  configure: (settingsText: string): string =>
    attempt(() => {
      settings = freezeDeep(readSettings(settingsText));
    }),

  /** Starts loading a set, from a bundle or from a change of the current set; abandons one that was started before. */
  begin: (kind: string): string => {
    const pieces: string[] = [];
    coming = { pieces, steps: kind === "change" ? changing(pieces) : loading(pieces) };
    return "";
  },

  /** Receives the next piece of its JSON. */
  bring: (piece: string): string => {
    coming?.pieces.push(piece);
    return "";
  },

  /**
   * Continues loading, after all pieces were received. Returns "" when the set is in force, "+" if there is more to
   * do, "!" and the reason if it failed; the old set then stays.
   */
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

  /** Loads a bundle from JSON for a trial, beside the set in force. Returns "", or why it cannot be loaded. */
  openTrial: (bundleText: string): string =>
    attempt(() => {
      trial = undefined;
      const bundle: Bundle = JSON.parse(bundleText);
      trial = openTrial(bundle, load(bundle, evaluateProgram));
    }),

  /** Continues the trial, see `Trial.next`. */
  tryNext: (): string => {
    try {
      return trial === undefined ? "!nothing is being tried" : trial.next();
    } catch (thrown) {
      return `!${reasonOf(thrown)}`;
    }
  },

  /** Answers a check, see `answerCheck`. Nothing that happens inside can end the realm. */
  checkResources: (body: string, callId: string, now: number, form: string, naming: number): string =>
    answering(() => answerCheck(loaded, settings, pending, body, callId, now, isForm(form) ? form : undefined, naming === 1)),

  /** Completes a waiting check, see `resumeCheck`. */
  resume: (handle: number, foundText: string, callId: string, now: number): string =>
    answering(() => resumeCheck(pending, handle, foundText, callId, now)),

  /** Abandons a waiting check. */
  forget: (handle: number): string =>
    attempt(() => {
      pending.take(handle);
    }),
};

interface Coming {
  readonly pieces: string[];
  readonly steps: Generator<undefined, Loaded>;
}

/** Loads a bundle; reuses unchanged units of the set in force. */
function* loading(pieces: readonly string[]): Generator<undefined, Loaded> {
  return yield* loadInSteps(yield* readInSteps<Bundle>(pieces), evaluateProgram, loaded);
}

/** Applies a change to the set in force. */
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

// The host reads this property once, then deletes it.
Object.defineProperty(globalThis, "authzDoor", { value: door, configurable: true });
