/** With the gate: no attack gets as far as to run, and the refusal says where the program stops being one of ours. */
import { describe, expect, test } from "vitest";
import { refusalOf } from "../../runtime/sandbox/gate/index.ts";
import { openArena } from "./arena.ts";
import { momentsOf, telling, type Attack, type Moment } from "./attack.ts";
import { honestBundle, realProgram } from "./policy-set.ts";
import { gatedTexts } from "./realms.ts";
import { attacks, wholeAttacks } from "./tables/index.ts";

const arena = openArena(await gatedTexts());

const [head = "", tail = ""] = realProgram.split(/(?=return \{ scopes: )/);
const following = `n${1 + Math.max(...[...realProgram.matchAll(/\bn(\d+)\b/g)].map(([, number]) => Number(number)))}`;
const linesIn = (text: string): number => text.split("\n").length;

/** A real program with some statements in it, and the lines that they stand on. */
function spliced(statements: string, moment: Moment): { readonly program: string; readonly from: number; readonly to: number } {
  const before = moment === "evaluation" ? head : `${head}const ${following} = (q) => {\n`;
  const program = `${before}${statements}\n${moment === "evaluation" ? "" : "};\n"}${tail}`;
  return { program, from: linesIn(before), to: linesIn(`${before}${statements}`) + 1 };
}

const rows = attacks.flatMap((attack) => momentsOf(attack).map((moment): readonly [string, Moment, Attack] => [attack.it, moment, attack]));

describe("a real program", () => {
  test("passes the gate, and so do harmless statements where the attacks are put", () => {
    for (const program of Object.values(honestBundle.shapes)) expect(refusalOf(program)).toBeUndefined();
    expect(refusalOf(spliced("return rt.equal(n0(q.R), n0(q.R)) === true;", "decision").program)).toBeUndefined();
  });
});

describe("in the midst of a real program", () => {
  test.each(rows)("%s, at %s: is refused there", (_it, moment, { body }) => {
    const { program, from, to } = spliced(body, moment);
    const refusal = refusalOf(program) ?? "";
    expect(refusal).toMatch(/^line \d+, column \d+: ./);
    const line = Number(/^line (\d+)/.exec(refusal)?.[1]);
    expect(line).toBeGreaterThanOrEqual(from);
    expect(line).toBeLessThanOrEqual(to);
  });
});

describe("as a whole program in the realm", () => {
  test.each(rows)("%s, at %s: does not run", (_it, moment, attack) => {
    const program = telling(attack, moment);
    expect(arena.ask(program)).toContain(inAnswer(refusalOf(program)));
  });

  test.each(wholeAttacks.map(({ it, program }) => [it, program]))("%s: does not run", (_it, program) => {
    const refusal = refusalOf(program);
    expect(refusal).toMatch(/^line \d+, column \d+: .|characters/);
    expect(arena.ask(program)).toContain(inAnswer(refusal));
  });
});

/** As the check that asks the program first says it: in JSON, and not without end. */
const inAnswer = (refusal = "it is not refused"): string => JSON.stringify(refusal).slice(1, 200).replace(/"$/, "");
