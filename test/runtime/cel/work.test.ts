/** Accounts of work, one within another. */
import { expect, test } from "vitest";
import { encodeBase64, decodeBase64 } from "../../../runtime/cel/base64.ts";
import { compareText, codePointCount, offsetOf } from "../../../runtime/cel/text.ts";
import { distinct, membership } from "../../../runtime/cel/membership.ts";
import { findAll } from "../../../runtime/cel/regex.ts";
import { lookup, makeMap } from "../../../runtime/cel/map.ts";
import { longestTextOf } from "../../../runtime/constant.ts";
import { parseAddress, printAddress } from "../../../runtime/cel/network-address.ts";
import { quote } from "../../../runtime/cel/string-operations.ts";
import { formatTimestamp } from "../../../runtime/cel/timestamp-text.ts";
import { decodeUtf8, encodeUtf8 } from "../../../runtime/cel/utf8.ts";
import { Timestamp } from "../../../runtime/cel/value.ts";
import {
  finish,
  noteText,
  start,
  tooMuchWork,
  withinWork,
  takeSpareWork,
  withSpareWork,
  withWork,
  work,
  workFor,
  workToKeep,
  workStep,
} from "../../../runtime/cel/work.ts";
import { lightWeight } from "../../../runtime/cel/weight.ts";
import { plainMatches } from "../../../runtime/built/without-regex-engine.ts";
import { holdsOne } from "../../../runtime/decide/holds-one.ts";
import { glob } from "../../../runtime/emitted/glob.ts";
import { atLoad } from "../../../runtime/emitted/load-time.ts";
import { spentOn } from "../spent-on.ts";

const drawing = (units: number) => (): void => work(units);

/** Whether the work of the account around is used up. */
function isUsedUp(run: () => void): boolean {
  try {
    run();
    return false;
  } catch (trouble) {
    if (trouble !== tooMuchWork) throw trouble;
    return true;
  }
}

test.each<[sentence: string, within: number, drawn: number, finished: boolean]>([
  ["less than there is", 100, 99, true],
  ["all there is", 100, 100, true],
  ["more than there is", 100, 101, false],
])("%s", (_, within, drawn, finished) => {
  expect(withinWork(within, drawing(drawn))).toBe(finished);
});

test("what an account within draws is not missing to the one around it", () => {
  const around = (): void =>
    withWork(10, 0, () => {
      work(5);
      expect(withinWork(1000, drawing(1000))).toBe(true);
      expect(withinWork(1000, drawing(1001))).toBe(false);
      work(5);
      expect(isUsedUp(drawing(1))).toBe(true);
    });
  expect(isUsedUp(around)).toBe(false);
  expect(isUsedUp(drawing(1e12))).toBe(false);
});

test("what goes wrong within is not taken for work", () => {
  expect(() =>
    withinWork(1000, () => {
      throw new Error("ours");
    }),
  ).toThrow("ours");
});

test("a price that is no number ends the check, instead of freeing it of its bound", () => {
  expect(withinWork(1000, () => work(Number.NaN))).toBe(false);
});

test("what is spare is bounded once for a check, and each time where no budget was set", () => {
  const failures = (): number => {
    let unfinished = 0;
    for (let time = 0; time < 4; time++) {
      let finished = false;
      const run = (): void => {
        work(2 ** 27);
        finished = true;
      };
      withSpareWork({ run });
      if (!finished) unfinished++;
    }
    return unfinished;
  };
  expect(withWork(10, 0, failures)).toBe(2);
  expect(failures()).toBe(0);
  expect(withWork(10, 0, failures)).toBe(2);
});

test("what is taken of the spare work at once is missing to what follows, and is not taken where it does not suffice", () => {
  const all = 2 ** 28;
  const take = (): readonly unknown[] => [takeSpareWork(all + 1), takeSpareWork(all), takeSpareWork(1), takeSpareWork(0)];
  const spent = (): boolean => {
    let finished = false;
    takeSpareWork(all);
    withSpareWork({
      run: () => {
        work(1);
        finished = true;
      },
    });
    return finished;
  };
  expect(withWork(10, 0, take)).toEqual([false, true, false, true]);
  expect(withWork(10, 0, spent)).toBe(false);
  expect(takeSpareWork(Number.NaN)).toBe(false);
  expect([takeSpareWork(all), takeSpareWork(all)]).toEqual([true, true]);
});

const long = "a".repeat(20_000);
const alike = Array.from({ length: 100 }, (_, at) => `${long}${at + 100}`);
const mapOfAlike = makeMap(alike.map((key) => [key, 1] as const));
const objectOfAlike = Object.fromEntries(alike.map((key) => [key, 1]));
const smiles = "\u{1F600}".repeat(10_000);
const address = "fe80:1:2:3:4:5:6:7";

test.each<[sentence: string, run: () => unknown, atLeast: number]>([
  // The engine tells texts of one length apart by comparing them, from some length on.
  ["long texts of one length are put into a map", () => makeMap(alike.map((key) => [key, 1] as const)), 3_000_000],
  ["one of them is looked for in it", () => lookup(mapOfAlike as never, `${long}000`), 60_000],
  ["one of them is looked for in an object", () => lookup(objectOfAlike, `${long}000`), 60_000],
  ["those that are alike are left out", () => distinct(alike), 3_000_000],
  ["one of them is looked for in a list", () => membership(alike, 100), 3_000_000],
  ["characters of two units are counted", () => codePointCount(smiles), 10_000],
  ["the place of one of them is found", () => offsetOf(smiles, 5_000), 2_000],
  ["two long texts are ordered by their ends", () => compareText(`${long}a`, `${long}b`), 10_000],
  ["quotes are escaped", () => quote('"'.repeat(1_000)), 30_000],
  ["bytes become base64", () => encodeBase64(new Uint8Array(1_000)), 5_000],
  ["base64 becomes bytes", () => decodeBase64("QUJD".repeat(250)), 5_000],
  ["a text becomes bytes", () => encodeUtf8(long), 60_000],
  ["bytes become a text", () => decodeUtf8(new Uint8Array(1_000)), 3_000],
  ["an address is read", () => parseAddress(address), 100],
  ["an address is written", () => printAddress({ bytes: Array.from({ length: 16 }, () => 1), family: 6 }), 100],
  ["an instant is written by the clock of this machine", () => formatTimestamp(new Timestamp(0, 0, "local")), 99],
  ["a text is looked through for a plain pattern", () => plainMatches(atLoad, long, "b"), 15_000],
  ["a plain pattern is asked for", () => plainMatches(atLoad, "", "b"), 8],
  ["roles are looked for among many", () => holdsOne(alike, alike, undefined), 4_900],
  ["an action is compared with a long pattern", () => glob(`${"a".repeat(100)}*b*`)("a".repeat(200)), 100_000],
  ["a pattern is found in many places", () => findAll("ab".repeat(100), "[a-z]", 1_000), 40_000],
])("what takes long is paid for: %s", (_, run, atLeast) => {
  expect(isUsedUp(() => withWork(atLeast, 0, run))).toBe(true);
});

test.each<[sentence: string, list: readonly (number | string)[], length: number]>([
  ["its longest text", ["a", "abc"], 3],
  ["all its long texts, which can be made to meet", [`${long}a`, `${long}b`], 40_002],
  ["no number", [1, 2, 3], 0],
])("what is looked up in a constant list may be compared with %s", (_, list, length) => {
  expect(longestTextOf(list)).toBe(length);
});

const heavy = { length: 10, allocates: 5 };

test.each<[sentence: string, run: () => void, units: number]>([
  ["a light piece of program", () => workFor(lightWeight), 1],
  ["a heavy one, which compares ten times and keeps something", () => workFor(heavy), 10 + 9 * 7 + 5],
  ["one within which a long text is met", () => (start(heavy), noteText(12_800)), 78 + 100 * (10 + 1)],
  ["one that has ended before", () => (start(heavy), finish(heavy), noteText(12_800)), 78 + 100],
  ["a long text that is made", () => workToKeep("a".repeat(12_800)), 1 + 12_800 + 100],
])("what a run takes: %s", (_, run, units) => {
  expect(spentOn(run)).toBe(units);
});

test("a long text makes turns dearer for as long as the account that met it", () => {
  const turnsFor = (units: number): number => {
    let turns = 0;
    withinWork(units, () => {
      for (;;) {
        workStep();
        turns++;
      }
    });
    return turns;
  };
  noteText(128_000);
  expect(turnsFor(1000)).toBe(1000);
  withWork(1e6, 0, () => {
    withSpareWork({ run: () => noteText(128_000) });
    withinWork(1000, () => noteText(128_000));
    expect(turnsFor(1000)).toBe(1000);
    noteText(12_800);
    expect(turnsFor(1000)).toBe(9);
  });
  expect(turnsFor(1000)).toBe(1000);
});
