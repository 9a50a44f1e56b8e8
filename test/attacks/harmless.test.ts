/** Without the gate: the compartment and the boundary alone keep every attack from the host and from other units. */
import { afterAll, describe, expect, test } from "vitest";
import { openArena } from "./arena.ts";
import { momentsOf, quiet, seenIn, telling, type Attack, type Moment } from "./attack.ts";
import { differences, markHost, survey } from "./host.ts";
import { memosAndEve } from "./policy-set.ts";
import { openTexts, ungatedTexts } from "./realms.ts";
import { changeShared } from "./tables/change-shared.ts";
import { attacks, wholeAttacks } from "./tables/index.ts";

const unmark = markHost();
const arena = openArena(await ungatedTexts());
const unprotected = openArena(await openTexts());
afterAll(() => {
  arena.close();
  unprotected.close();
  unmark();
});

const rows = attacks.flatMap((attack) => momentsOf(attack).map((moment): readonly [string, Moment, Attack] => [attack.it, moment, attack]));

/** Among those that change what is shared: without any wall these do, as other units' answers show. */
const harmfulWithoutWalls = [
  "the prototype of objects",
  "the prototype of objects, by assigning what units look up",
  "the prototype of arrays",
  "the prototype of sets",
  "the prototype of maps, by its constructor",
  "the prototype of iterators",
  "the prototype of arrays, through the request's",
  "JSON.parse",
  "how a text becomes an object, by toJSON of everything",
  "setters on the indexes of arrays",
  "Object's own functions",
  "Array.isArray",
  "the globals of the settings",
  "the query's class",
  "the methods of every hierarchy",
  "the methods of every address",
  "the methods of every SPIFFE id",
  "the optional that all units share",
];

describe("an attack finds no more than is the unit's own", () => {
  test.each(rows)("%s, at %s", (_it, moment, attack) => {
    const answer = arena.ask(telling(attack, moment));
    const seen = seenIn(answer) ?? answer;
    expect(seen).not.toContain("HOST");
    if (typeof attack.comesTo === "string") expect(seen).toContain(attack.comesTo);
    else expect(seen).toMatch(attack.comesTo);
  });

  test.each(wholeAttacks.map(({ it, program, comesTo }) => [it, program, comesTo] as const))("%s", (_it, program, comesTo) => {
    const answer = arena.ask(program);
    expect(answer).toMatch(/^[\dd-e]\{/);
    expect(() => void JSON.parse(answer.slice(1).split("\n")[0] ?? "")).not.toThrow();
    if (typeof comesTo === "string") expect(answer).toContain(comesTo);
    else expect(answer).toMatch(comesTo);
  });
});

describe("neither the host nor another unit is changed by", () => {
  test.each(rows)("%s, at %s", async (_it, moment, attack) => {
    expect(await arena.harmBy(quiet(attack, moment), memosAndEve)).toEqual([]);
  });

  test.each(wholeAttacks.map(({ it, program }) => [it, program]))("%s", async (_it, program) => {
    expect(await arena.harmBy(program)).toEqual([]);
  });
});

describe("what looks for harm", () => {
  test.each(harmfulWithoutWalls)("sees that other units answer otherwise, where no wall stands: %s", async (it) => {
    const attack = changeShared.find((row) => row.it === it);
    expect(await unprotected.harmBy(quiet(attack ?? { it, body: "", comesTo: "" }, "decision"), memosAndEve)).not.toEqual([]);
  });

  test("sees a changed host", () => {
    const before = survey();
    const changes: readonly (readonly [object, PropertyKey])[] = [
      [Object.prototype, "polluted"],
      [Array.prototype, "0"],
      [globalThis, "reached"],
      [process, "reached"],
    ];
    for (const [of, name] of changes) {
      Object.defineProperty(of, name, { value: 1, configurable: true, enumerable: false });
      expect(differences(before, survey())).toHaveLength(1);
      Reflect.deleteProperty(of, name);
    }
    const { parse } = JSON;
    JSON.parse = (text: string) => parse(text);
    expect(differences(before, survey())).toEqual(["JSON.parse"]);
    JSON.parse = parse;
    expect(differences(before, survey())).toEqual([]);
  });
});
