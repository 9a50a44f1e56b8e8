/** Whatever the gate admits, JavaScript reads, and reads nothing in it that a unit has no business with: real programs, changed at random. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { refusalOf } from "../../../runtime/sandbox/gate/index.ts";
import { everything } from "../../agree/variants.ts";
import { objections, parseProgram, refusedBySes } from "./gate-acorn.ts";
import { goldenFolders, programsOfExpressions, programsOfGolden, programsOfRandom } from "./gate-programs.ts";

const runs = Number(process.env["AUTHZ_GATE_RUNS"] ?? 4000);
const seed = Number(process.env["AUTHZ_SEED"] ?? 8);

const programs = [
  ...new Set([
    ...goldenFolders.filter((folder) => folder.startsWith("golden/compile")).flatMap((folder) => programsOfGolden(folder, [everything])),
    ...programsOfRandom(5, 0, 6, [everything]),
    ...programsOfExpressions([everything], [0]),
  ]),
].filter(({ length }) => length < 6000);

/** What is wrong with a program that the gate admits, looked at without the gate. */
function wrongWith(program: string): readonly string[] {
  const texts = refusedBySes.filter((text) => text.test(program)).map(String);
  try {
    return [...texts, ...objections(parseProgram(program))];
  } catch (error) {
    return [...texts, String(error)];
  }
}

test("what the emitter writes is in order to who looks at it without the gate", () => {
  for (const program of programs) expect(wrongWith(program), program).toEqual([]);
});

/** Words, names, numbers, strings, signs and line ends. */
const tokens = /[A-Za-z_$][\w$]*|\d+|"(?:[^"\\]|\\.)*"|=>|===|!==|&&|\|\||\?\?|<=|>=|\+\+|--|\s|./g;
const split = (program: string): readonly string[] => program.match(tokens) ?? [];

/** What a program has no business with, and a few things that it has in other places. */
const strange = [
  ..."async await yield var let const function class new this super import eval arguments delete void typeof in of instanceof with while do for".split(
    " ",
  ),
  ..."break continue debugger throw try catch finally default switch case static get set enum null true false undefined NaN Infinity".split(
    " ",
  ),
  ..."globalThis Function Object Array Map Set Symbol Proxy Reflect Promise constructor prototype __proto__ rt q k of action roles kinds effect first".split(
    " ",
  ),
  ...".constructor .__proto__ .prototype .call .apply [0] [k0] () (q) (rt) => ... ?. ?? ??= ||= ** ++ -- += << >>> ~ ^ % / // /* */ <!-- -->".split(
    " ",
  ),
  ..."` ${ ' \" \\ # @ 0 1 9999999999 0x1 1n 1e9 010 1_0 .5 \\u0061 n0 n1 n2 n7 n99 n01 k0 k1 k2 k01 ; , : { } ( ) [ ] = == != === ! & | && || < >".split(
    " ",
  ),
  " ",
  "\n",
  "\t",
  "\r",
  "\u2028",
  "\ufeff",
  "\u00a0",
  "\0",
  "\u0430",
  "\ud800",
];

type Change = (tokens: readonly string[], at: number, other: number, word: string) => readonly string[];
const changes: readonly Change[] = [
  (of, at) => of.toSpliced(at, 1),
  (of, at, other) => of.toSpliced(at, 0, of[other] ?? ""),
  (of, at, other) => of.with(at, of[other] ?? ""),
  (of, at, other) => of.with(at, of[other] ?? "").with(other, of[at] ?? ""),
  (of, at, _other, word) => of.with(at, word),
  (of, at, _other, word) => of.toSpliced(at, 0, word),
  // another name of the same kind
  (of, at, other) => {
    const names = of.flatMap((token, place) => (/^[nk]\d+$/.test(token) ? [place] : []));
    const [from, to] = [names[at % Math.max(1, names.length)], names[other % Math.max(1, names.length)]];
    return from === undefined || to === undefined ? of : of.with(from, of[to] ?? "");
  },
  // a line more, a line less
  (of, at, other) => {
    const lines = of.join("").split("\n");
    return [lines.toSpliced(at % lines.length, 0, lines[other % lines.length] ?? "").join("\n")];
  },
  (of, at) => {
    const lines = of.join("").split("\n");
    return [lines.toSpliced(at % lines.length, 1).join("\n")];
  },
];

/** Constants and names in the order in which a program must have them: so that a change is not refused for that alone. */
function renumber(program: string): string {
  const names = new Map<string, string>();
  let constants = 0;
  const [head = "", ...rest] = program.split("\n");
  const body = rest.filter((line) => !line.startsWith("const [k0")).join("\n");
  const renamed = body
    .replaceAll(/(?<![\w$."])n\d+(?![\w$])/g, (name) => {
      const known = names.get(name) ?? `n${names.size}`;
      names.set(name, known);
      return known;
    })
    .replaceAll(/(?<![\w$."])k\d+(?![\w$])/g, () => `k${constants++}`);
  const declared = constants === 0 ? "" : `const [${Array.from({ length: constants }, (_, at) => `k${at}`).join(", ")}] = k;\n`;
  return `${head}\n${declared}${renamed}`;
}

const change = fc.record({
  how: fc.nat(changes.length - 1),
  at: fc.nat(100_000),
  other: fc.nat(100_000),
  word: fc.constantFrom(...strange),
});
const changed = fc
  .record({ program: fc.constantFrom(...programs), changes: fc.array(change, { minLength: 1, maxLength: 3 }), inOrder: fc.boolean() })
  .map(({ program, changes: list, inOrder }) => {
    const of = list.reduce<readonly string[]>((so, { how, at, other, word }) => {
      const { length } = so;
      return length === 0 ? so : ((changes[how]?.(so, at % length, other % length, word) ?? so).join("").match(tokens) ?? []);
    }, split(program));
    return inOrder ? renumber(of.join("")) : of.join("");
  });

test(`tokens changed at random (${runs} programs, AUTHZ_SEED=${seed})`, { timeout: 3_600_000 }, () => {
  let admitted = 0;
  fc.assert(
    fc.property(changed, (program) => {
      if (refusalOf(program) !== undefined) return;
      admitted++;
      expect(wrongWith(program), program).toEqual([]);
    }),
    { seed, numRuns: runs },
  );
  // Changes that leave a program are what the law is about.
  expect(admitted).toBeGreaterThan(runs / 50);
});

const characters = fc.oneof(
  fc.constantFrom(...strange),
  fc.string({ unit: "binary", minLength: 1, maxLength: 3 }),
  fc.string({ minLength: 1, maxLength: 2 }),
);

test(`characters changed at random (${runs} programs, AUTHZ_SEED=${seed})`, { timeout: 3_600_000 }, () => {
  let admitted = 0;
  fc.assert(
    fc.property(fc.constantFrom(...programs), fc.nat(100_000), fc.nat(3), characters, (program, place, removed, put) => {
      const at = place % program.length;
      const text = program.slice(0, at) + put + program.slice(at + removed);
      if (refusalOf(text) !== undefined) return;
      admitted++;
      expect(wrongWith(text), text).toEqual([]);
    }),
    { seed, numRuns: runs },
  );
  expect(admitted).toBeGreaterThan(0);
});
