/** The SES compartment in which units are evaluated. Its global object is nearly empty and frozen. */
import { readUnit } from "./foreign-unit.ts";
import { workFor } from "../cel/work.ts";
import { readProgram } from "./gate/index.ts";
import { promiseIn } from "./promises.ts";

/** What the realm provides after lockdown. */
declare const Compartment: new (options: { readonly __options__: true; readonly name: string; readonly globals: object }) => {
  readonly globalThis: object;
  readonly evaluate: (text: string) => unknown;
};
declare const harden: <T>(value: T) => T;

// Captured now, because both are removed from the realm's global before the first unit is evaluated.
const freezeDeep = harden;
const RealmCompartment = Compartment;

/** The globals that the emitter uses; everything else is passed to a unit as an argument. */
const allowed: ReadonlySet<string | symbol> = new Set<string | symbol>(["Infinity", "Map", "NaN", "Set", "undefined"]);

/** Evaluates programs in the compartment, and freezes values deeply. */
export interface Units {
  readonly evaluateProgram: (text: string) => unknown;
  readonly freezeDeep: <T>(value: T) => T;
}

/** Opens the compartment. Arguments of a unit's factory are frozen first; its result is read once and checked. */
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
