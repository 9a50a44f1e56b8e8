/** Sets on their way into force: in the order in which they are given, each wholly, and the event loop turns meanwhile. */
import { describe, expect, test } from "vitest";
import type { Bundle } from "../../runtime/bundle.ts";
import { bundleChange } from "../../src/compile/bundle-change.ts";
import { openSetLoader, type SetLoader } from "../../src/set-loader.ts";
import { bundleInPieces, changeInPieces } from "../../src/texts/in-pieces.ts";
import { asking, bundleOf, deciding, openWithoutGate } from "../runtime/sandbox/open.ts";

/** Sets that differ in what they decide of `memo`, and in thousands of units besides, so that none is there in one turn. */
function setOf(digest: string, effect: "ALLOW" | "DENY"): Bundle {
  const { manifest, shapes, units } = bundleOf(deciding(`return rt.${effect};`));
  const others = Array.from({ length: 3000 }, (_, number) => `kind_${String(number).padStart(4, "0")}`);
  return {
    manifest: { ...manifest, digest },
    shapes,
    units: ["memo", ...others]
      .toSorted()
      .flatMap((name) => units.map((unit) => ({ ...unit, id: `resource ${name}@default`, name, writtenName: name, digest }))),
  };
}
const sets: { readonly [name: string]: Bundle } = {
  one: setOf("one", "ALLOW"),
  two: setOf("two", "DENY"),
  three: setOf("three", "ALLOW"),
  four: setOf("four", "DENY"),
};

/** What was decided by each set: the effect tells two that follow each other apart. */
const effects = { one: "ALLOW", two: "DENY", three: "ALLOW", four: "DENY" } as const;

type Step = readonly ["load" | "change", from: string, to: string] | readonly ["broken"];

interface Scene {
  readonly loader: SetLoader;
  /** What has come of what was given, and what was decided between turns: each when it is another than before. */
  readonly seen: string[];
  readonly give: (step: Step) => Promise<void>;
  readonly look: () => void;
}

function textOf(step: Step): readonly string[] {
  const [kind, from = "", to = ""] = step;
  const [before, after] = [sets[from], sets[to]];
  if (kind === "broken" || before === undefined || after === undefined) return ['{"from":"one","shapes":{\n'];
  return [...(kind === "load" ? bundleInPieces(after) : changeInPieces(bundleChange(before, after)))];
}

async function opened(): Promise<Scene> {
  const realm = openWithoutGate();
  const loader = openSetLoader(realm);
  const seen: string[] = [];
  const see = (what: string): void => void (seen.at(-1) === what || seen.push(what));
  const look = (): void => see(/EFFECT_(\w+)/.exec(realm.checkResources(asking(), "CALL", 0))?.[1] ?? "nothing");
  await loader.load("load", [...bundleInPieces(setOf("one", "ALLOW"))], () => undefined);
  return {
    loader,
    seen,
    look,
    give: (step) => {
      const name = step[2] ?? step[0];
      return loader
        .load(step[0] === "load" ? "load" : "change", textOf(step), () => see(`${name} in force`))
        .catch(() => see(`${name} kept out`));
    },
  };
}

describe("sets given at once, and what is decided between the turns", () => {
  test.each<readonly [sentence: string, steps: readonly Step[], seen: readonly string[]]>([
    ["a change", [["change", "one", "two"]], ["ALLOW", "two in force", "DENY"]],
    ["a whole set", [["load", "one", "two"]], ["ALLOW", "two in force", "DENY"]],
    [
      "two changes, the second built on the first",
      [
        ["change", "one", "two"],
        ["change", "two", "three"],
      ],
      ["ALLOW", "two in force", "DENY", "three in force", "ALLOW"],
    ],
    [
      "a change, a whole set, a change of that",
      [
        ["change", "one", "two"],
        ["load", "one", "three"],
        ["change", "three", "four"],
      ],
      ["ALLOW", "two in force", "DENY", "three in force", "ALLOW", "four in force", "DENY"],
    ],
    ["one that cannot be read", [["broken"], ["change", "one", "two"]], ["broken kept out", "ALLOW", "two in force", "DENY"]],
    [
      "one that builds on what never came in force, and the whole that mends it",
      [["broken"], ["change", "two", "three"], ["load", "one", "four"]],
      ["broken kept out", "ALLOW", "three kept out", "ALLOW", "four in force", "DENY"],
    ],
  ])("%s", async (_sentence, steps, expected) => {
    const { seen, give, look } = await opened();
    let turns = 0;
    let looking = setImmediate(function again() {
      look();
      turns++;
      looking = setImmediate(again);
    });
    await Promise.all(steps.map(give));
    clearImmediate(looking);
    look();
    // Where one is kept out at once, nothing may have been decided before.
    const told = seen.filter((what, at) => what !== seen[at - 1] && !(at === 0 && what === "ALLOW" && expected[0] !== "ALLOW"));
    expect(told).toEqual(expected);
    expect(turns).toBeGreaterThan(1);
    expect(told.at(-1)).toBe(effects[(steps.at(-1)?.[2] ?? "two") as keyof typeof effects]);
  });
});

test("what is not in force when it is closed never will be", async () => {
  const { loader, seen, give, look } = await opened();
  const given = [give(["change", "one", "two"]), give(["change", "two", "three"])];
  await new Promise((resolve) => setImmediate(resolve));
  loader.close();
  await Promise.all(given);
  look();
  expect(seen).toEqual(["two kept out", "three kept out", "ALLOW"]);
});
