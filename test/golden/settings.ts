/** What a golden case sets: as options of a check, and as a server's configuration. */
import type { CheckOptions } from "../../runtime/decide/input.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { openSchemas } from "../../src/schemas/schemas.ts";
import type { Settings } from "./cases.ts";
import { keySet } from "./tokens.ts";

/** Noon of a leap day. */
const someInstant = 1_709_208_000_000;

/** Returns the options of a check, with schemas by their path below `_schemas`. */
export function optionsOf(settings: Settings, files: ReadonlyMap<string, string>): CheckOptions {
  const { schemaEnforcement: enforcement = "none", now } = settings;
  const schemas = openSchemas(files, {
    allowRefs: ["store"],
    allowedHosts: [],
    fetchText: () => Promise.reject(new Error("golden cases ask nobody")),
  });
  return {
    now: now === undefined ? someInstant : Date.parse(now),
    globals: Object.fromEntries(Object.entries(settings.globals ?? {}).map(([name, value]) => [name, withIntegers(value)])),
    defaultPolicyVersion: settings.defaultPolicyVersion ?? "default",
    defaultScope: settings.defaultScope ?? "",
    lenientScopeSearch: settings.lenientScopeSearch ?? false,
    strictEvaluation: settings.strictEvaluation ?? false,
    evaluationErrors: true,
    effectivePolicies: true,
    ...(enforcement !== "none" && {
      schemas: {
        enforcement,
        validate: (_input, source, ref, attributes) => {
          const findings = schemas.validate([{ ref, attributes }]);
          if (findings instanceof Promise) throw new Error(`${ref} is not in the store`);
          return findings.flat().map(({ path, message }) => ({ path, message, source }));
        },
      },
    }),
  };
}

/** Returns the same as a configuration file. */
export const configurationOf = (settings: Settings): string =>
  JSON.stringify({
    engine: {
      ...(settings.defaultPolicyVersion !== undefined && { defaultPolicyVersion: settings.defaultPolicyVersion }),
      ...(settings.defaultScope !== undefined && { defaultScope: settings.defaultScope }),
      lenientScopeSearch: settings.lenientScopeSearch ?? false,
      strictEvaluation: settings.strictEvaluation ?? false,
      globals: settings.globals ?? {},
    },
    schema: { enforcement: settings.schemaEnforcement ?? "none" },
    auxData: { jwt: { keySets: [keySet] } },
  });

/** Whole numbers of a configuration are ints (semantics 5.1). */
function withIntegers(value: Value): Value {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withIntegers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withIntegers(inner)]));
}
