/** The settings of a store, as the configuration file of each server. */
import type { Random } from "../agree/random.ts";
import type { StoreSettings } from "./store.ts";

export const makeSettings = (random: Random): StoreSettings => ({
  lenientScopeSearch: random.chance(0.35),
  defaultPolicyVersion: random.chance(0.9) ? "default" : "v2",
  defaultScope: random.chance(0.85) ? "" : random.pick(["acme", "acme.hr", "beta"]),
  globals: { flag: random.chance(0.5), limit: random.pick([3, 5]), words: random.pick([["a"], ["b", "apple"]]) },
});
