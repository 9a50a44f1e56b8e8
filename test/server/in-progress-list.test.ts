/** What is under way can be taken in and let go in any order, and nobody is lost. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { notListed, InProgressList } from "../../src/server/connections/in-progress-list.ts";

interface Named {
  readonly name: string;
  index: number;
}

const named = (name: string): Named => ({ name, index: notListed });
const names = (list: InProgressList<Named>): readonly string[] =>
  list
    .all()
    .map(({ name }) => name)
    .toSorted();

const cases: readonly { readonly what: string; readonly let: string; readonly left: string }[] = [
  { what: "nobody", let: "", left: "abc" },
  { what: "the first", let: "a", left: "bc" },
  { what: "the last", let: "c", left: "ab" },
  { what: "one that stands where another stood", let: "ac", left: "b" },
  { what: "the same one twice", let: "aa", left: "bc" },
  { what: "all", let: "bca", left: "" },
];

test.each(cases)("of a, b and c lets $what go", ({ let: gone, left }) => {
  const list = new InProgressList<Named>();
  const all = new Map([..."abc"].map((name) => [name, named(name)]));
  for (const each of all.values()) list.add(each);
  const answers = [...gone].map((name) => list.remove(all.get(name) ?? named(name)));
  expect({ left: names(list), answers }).toStrictEqual({
    left: [...left],
    answers: [...gone].map((name, at) => gone.indexOf(name) === at),
  });
});

test("who was never taken in cannot be let go", () => {
  const list = new InProgressList<Named>();
  list.add(named("a"));
  expect(list.remove(named("b"))).toBe(false);
  expect(names(list)).toStrictEqual(["a"]);
});

test("it holds what a set would hold", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9)), (turns) => {
      const all = Array.from({ length: 10 }, (_, at) => named(String(at)));
      const list = new InProgressList<Named>();
      const judge = new Set<Named>();
      for (const turn of turns) {
        const each = all[turn];
        if (each === undefined) continue;
        if (judge.delete(each)) expect(list.remove(each)).toBe(true);
        else {
          judge.add(each);
          list.add(each);
        }
        expect(names(list)).toStrictEqual([...judge].map(({ name }) => name).toSorted());
      }
    }),
  );
});
