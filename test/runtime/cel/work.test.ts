/** Accounts of work, one within another. */
import { expect, test } from "vitest";
import { tooMuchWork, withinWork, withSpareWork, withWork, work } from "../../../runtime/cel/work.ts";

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

test("what is spare is bounded once for a check, and each time where nobody opened an account", () => {
  const failures = (): number => {
    let unfinished = 0;
    for (let time = 0; time < 4; time++) {
      let finished = false;
      withSpareWork(() => {
        work(2 ** 27);
        finished = true;
      });
      if (!finished) unfinished++;
    }
    return unfinished;
  };
  expect(withWork(10, 0, failures)).toBe(2);
  expect(failures()).toBe(0);
  expect(withWork(10, 0, failures)).toBe(2);
});
