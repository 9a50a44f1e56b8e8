/** Differences from the reference that were found once stay decided; nothing here needs its binary. */
import { expect, it } from "vitest";
import { answersOf } from "./compare.ts";
import { cases, type Found } from "./found.ts";
import { answerHere } from "./ours.ts";

it.each<Found>(cases)("$sentence", async ({ policies, principal, entry, answer }) => {
  const store = {
    settings: { lenientScopeSearch: false, defaultPolicyVersion: "default", defaultScope: "", globals: {} },
    files: policies.map((policy) => ({ style: "block", policy }) as const),
  };
  const replies = await answerHere(store, [{ requestId: "r", includeMeta: true, principal, resources: [entry] }]);
  expect(replies).not.toBeTypeOf("string");
  const [reply] = typeof replies === "string" ? [] : replies;
  const said = answersOf(reply?.body ?? null)[0]?.actions.get(entry.actions.at(-1) ?? "");
  expect([said?.effect.slice("EFFECT_".length).toLowerCase(), said?.policy, said?.scope]).toEqual(answer);
});
