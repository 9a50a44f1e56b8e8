/** The compartment in which units are evaluated: a global that holds next to nothing, and cannot be changed. */
import { readUnit } from "./foreign-unit.ts";
import { workFor } from "../cel/work.ts";
import { readProgram } from "./gate/index.ts";
import { promiseIn } from "./promises.ts";

/** What the realm provides once it is locked down. */
declare const Compartment: new (options: { readonly __options__: true; readonly name: string; readonly globals: object }) => {
  readonly globalThis: object;
  readonly evaluate: (text: string) => unknown;
};
declare const harden: <T>(value: T) => T;

// Taken now: both leave the realm's global before the first unit comes in.
const freezeDeep = harden;
const RealmCompartment = Compartment;

/** The globals that the emitter writes; everything else a unit needs is handed to it. */
const allowed: ReadonlySet<string | symbol> = new Set<string | symbol>(["Infinity", "Map", "NaN", "Set", "undefined"]);

/** The compartment's evaluator, and the means to freeze what units are given, all the way down. */
export interface Units {
  readonly evaluateProgram: (text: string) => unknown;
  readonly freezeDeep: <T>(value: T) => T;
}

/** Opens the compartment. What a unit's factory is given is frozen first, what it answers is read once. */
export function openCompartment(): Units {
  const compartment = new RealmCompartment({ __options__: true, name: "units", globals: {} });
  const global = compartment.globalThis;
  for (const name of Reflect.ownKeys(global)) if (!allowed.has(name)) Reflect.deleteProperty(global, name);
  freezeDeep(global);
  const evaluateProgram = (text: string): unknown => {
    const read = readProgram(text);
    const refusal = typeof read === "string" ? read : promiseIn(text);
    if (typeof read === "string" || refusal !== undefined) throw new SyntaxError(refusal);
    const { prices } = read;
    const factory = compartment.evaluate(text);
    if (typeof factory !== "function") return factory;
    return (...given: readonly unknown[]): unknown => {
      workFor(prices.loading);
      return { ...readUnit(Reflect.apply(factory, undefined, freezeDeep(given))), prices };
    };
  };
  return { evaluateProgram, freezeDeep };
}
