/** Validates the legend of a bundle (names and places of its policies, for people) against its units. */
import type { Legend } from "../../compiler/legend/legend.ts";
import type { BundledUnit } from "../../runtime/bundle.ts";
import { byUnits } from "../../runtime/order.ts";
import { index, list, record, text, within, word, wrong, type Check } from "./check.ts";

const number = index(Number.MAX_SAFE_INTEGER);
const place: Check = (value, at) => {
  if (!Array.isArray(value) || value.length !== 3) return wrong(at, "must be a source, a line and a column");
  value.forEach((part: unknown, which) => number(part, within(at, which)));
};
const places = list(place);
const yes: Check = (value, at) => {
  if (value !== true) wrong(at, "must be true, or not there");
};
const words = record({ says: text(), at: places });
const names = { variables: places, constants: places };
const rule = record(
  { name: text(), effect: word("allow", "deny"), patterns: list(number), roles: list(number), at: place },
  { when: words, met: words, notMet: words },
);
const role = record({ parents: list(number), at: place, ...names }, { when: words });
const policy = record({ at: place, rules: list(rule), roles: list(role), ...names }, { consent: yes });

/** The structure of a legend; `checkLegend` compares it with its units. */
export const legend: Check = record({ sources: list(text()), units: list(list(policy)) });

/** Checks a legend against its units. A bundle may have an empty legend; otherwise every policy and every rule must be in it. */
export function checkLegend({ sources, units }: Legend, about: readonly BundledUnit[]): void {
  sources.forEach((path, at) => {
    if (at > 0 && byUnits(sources[at - 1] ?? "", path) >= 0) wrong(`legend.sources[${at}]`, "does not stand in the order of paths");
  });
  if (units.length === 0 && sources.length === 0) return;
  if (units.length !== about.length) wrong("legend.units", "must be about each unit");
  units.forEach((policies, which) => {
    const scopes = about[which]?.scopes ?? [];
    const at = `legend.units[${which}]`;
    if (policies.length !== scopes.length) wrong(at, "must be about each policy of the unit");
    policies.forEach(({ rules, roles }, scope) => {
      const { rows = [], patterns = [] } = scopes[scope] ?? {};
      if (rules.length !== rows.length) wrong(`${at}[${scope}].rules`, "must be about each rule of the policy");
      const isWithin = (bound: number) => (one: number) => one < bound;
      const fits =
        rules.every((each) => each.patterns.every(isWithin(patterns.length)) && each.roles.every(isWithin(roles.length))) &&
        roles.every(({ parents }) => parents.every(isWithin(patterns.length)));
      if (!fits) wrong(`${at}[${scope}]`, "names what the policy does not have");
    });
  });
  if (!placesIn(units).every(([source]) => source < sources.length)) wrong("legend", "names a source that it does not have");
}

/** Returns every position in a legend. */
const placesIn = (units: Legend["units"]): Legend["units"][number][number]["variables"] =>
  units
    .flat()
    .flatMap((one) => [
      one.at,
      ...one.variables,
      ...one.constants,
      ...one.rules.flatMap(({ at, when, met, notMet }) => [at, ...[when, met, notMet].flatMap((said) => said?.at ?? [])]),
      ...one.roles.flatMap(({ at, when, variables, constants }) => [at, ...(when?.at ?? []), ...variables, ...constants]),
    ]);
