/** Tries a foreign bundle: runs every program, and some units of each shape with generated requests. */
import type { Bundle } from "../../bundle.ts";
import { tooMuchWork, withWork } from "../../cel/work.ts";
import type { LoadedUnit, Policy } from "../../decide/loaded-unit.ts";
import type { Loaded } from "../../load.ts";
import { reasonOf } from "../reason.ts";
import { compareResults } from "./compare.ts";
import { makeInput, openRandom } from "./inputs.ts";
import { collectFunctions } from "./probe.ts";
import { Problem, problem } from "./problem.ts";
import { readsOf } from "./reads.ts";

/**
 * Bounds: units opened of each shape, units asked of each shape, units with requests in all, requests for each
 * policy, policies of a unit.
 */
const maxOpened = 64;
const maxUnitsOfShape = 4;
const maxAsked = 160;
const maxRequests = 32;
const minRequests = 2;
const maxPolicies = 8;

/**
 * A trial of a bundle.
 * It shows that each program can be evaluated and terminates; that for the generated requests each condition, derived
 * role and output has the result of the unit's own tree with the same index; and that actions without a row are not
 * decided.
 * It does not prove equality: the requests are a sample that the author of a bundle can predict. It says nothing
 * about what only the program contains: whether a row allows or denies, which condition belongs to which row, the
 * parent roles of a derived role.
 */
export interface Trial {
  /**
   * Does one step. Returns "" when the trial is done, "!" and the reason if the bundle must not be used, or what
   * comes next: length of the program text in characters, a space, and the name of what is tried; "-" if that is the
   * same as before.
   */
  readonly next: () => string;
}

/** Starts the trial of a bundle loaded as a server would, with nothing evaluated yet. */
export function openTrial({ shapes }: Bundle, loaded: Loaded): Trial {
  let at = "the bundle";
  function* run(): Generator<string | undefined, void> {
    const about = (name: string, shape: string): string => {
      at = name;
      return `${shapes[shape]?.length ?? 0} ${name}`;
    };
    for (const shape of Object.keys(shapes)) {
      yield about(`program ${shape.slice(0, 16)}`, shape);
      loaded.shapes.get(shape)?.factory();
    }
    const alike = byShape(loaded);
    for (const unit of alike.flatMap((units) => spread(units, maxOpened))) {
      yield about(unit.id, unit.shape);
      for (const { scope } of unit.scopes) unit.policyIn(scope)?.content.part();
    }
    const asked = alike.flatMap((units) => spread(units, maxUnitsOfShape));
    const requests = Math.max(minRequests, Math.min(maxRequests, Math.floor(maxAsked / asked.length)));
    for (const unit of asked) {
      yield about(unit.id, unit.shape);
      yield* tryUnit(unit, requests);
    }
  }
  const steps = run();
  return {
    next: () => {
      try {
        // Each step has a work budget, like a check.
        const { done, value } = withWork(maxWork, 0, () => steps.next());
        return done === true ? "" : (value ?? "-");
      } catch (thrown) {
        return `!${at}: ${thrown instanceof Problem ? thrown.message : thrown === tooMuchWork ? "it costs more than a check may" : `it fails: ${reasonOf(thrown)}`}`;
      }
    },
  };
}

const maxWork = 2 ** 21;

/** Groups units by shape: those of one shape share a program and differ in constants, names and rows. */
function byShape({ units }: Loaded): readonly (readonly LoadedUnit[])[] {
  const ofShape = new Map<string, LoadedUnit[]>();
  for (const unit of units.values()) {
    const known = ofShape.get(unit.shape);
    if (known === undefined) ofShape.set(unit.shape, [unit]);
    else known.push(unit);
  }
  return [...ofShape.values()];
}

/** A sample spread evenly, including first and last. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, at) => all[Math.round((at * (all.length - 1)) / (most - 1))]).filter((one) => one !== undefined);
}

function* tryUnit(unit: LoadedUnit, requests: number): Generator<undefined, void> {
  const reads = readsOf(unit.trees());
  yield undefined;
  for (const { scope } of spread(unit.scopes, maxPolicies)) {
    const policy = unit.policyIn(scope);
    if (policy !== undefined) yield* tryPolicy(policy, requests, reads);
  }
}

function* tryPolicy(policy: Policy, requests: number, reads: ReturnType<typeof readsOf>): Generator<undefined, void> {
  const { digest } = policy.unit;
  const random = openRandom(Number.parseInt(digest.slice(0, 8), 16) + policy.index);
  const first = makeInput(policy, reads, random);
  const collected = yield* collectFunctions(policy, first);
  const before = yield* compareResults(policy, spread(collected, maxCollected), first);
  for (let turn = 1; turn < requests; turn++)
    yield* compareResults(policy, spread(collected, maxCollected), makeInput(policy, reads, random));
  const after = yield* compareResults(policy, spread(collected, maxCollected), first);
  if (before !== after) problem("it answers the same question differently the second time");
}

const maxCollected = 400;
