/** What was decided of each action reads as a Map of the same would, in whatever order it is read. */
import { expect, it } from "vitest";
import { ActionDecisions } from "../../../runtime/decide/action-decisions.ts";
import type { ActionDecision } from "../../../runtime/decide/decision.ts";

const of = (matchedPolicy: string): ActionDecision => ({ effect: "EFFECT_ALLOW", matchedPolicy, matchedScope: "" });
const asked = ["view", "edit", "constructor", "__proto__", "delete"];
const open = (): readonly ReadonlyMap<string, ActionDecision>[] => [
  new ActionDecisions(asked, asked.map(of)),
  new Map(asked.map((action) => [action, of(action)])),
];

it.each<[order: string, read: readonly string[]]>([
  ["one after the other", asked],
  ["backwards", asked.toReversed()],
  ["the last alone", ["delete"]],
  ["one twice", ["view", "view", "edit", "edit"]],
  ["past the end", [...asked, "view"]],
  ["what was not asked", ["print", "view", "", "toString", "edit"]],
])("answers the same as a Map: %s", (_, read) => {
  const [ours, map] = open().map((decisions) => read.map((action) => [action, decisions.get(action), decisions.has(action)]));
  expect(ours).toEqual(map);
});

it("lists the same as a Map", () => {
  const [ours, map] = open().map((decisions) => {
    const each: unknown[] = [];
    decisions.forEach((decided, action) => each.push([action, decided]));
    return [decisions.size, [...decisions], [...decisions.keys()], [...decisions.values()], [...decisions.entries()], each];
  });
  expect(ours).toEqual(map);
});

it("counts an action that was asked twice as one", () => {
  const twice = new ActionDecisions(["view", "edit", "view"], ["view", "edit", "view"].map(of));
  expect([...twice.keys()]).toEqual(["view", "edit"]);
});
