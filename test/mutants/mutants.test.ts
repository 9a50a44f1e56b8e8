/** Bundles that were changed by accident or on purpose: each is refused, or gives the original's decisions. */
import { describe, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import { refusalOf } from "../../runtime/sandbox/gate/index.ts";
import { jsonOf, openFrame } from "../../src/bundle/frame.ts";
import { readBundle } from "../../src/bundle/index.ts";
import { digest } from "../../src/texts/digest.ts";
import { openRandom } from "../agree/random.ts";
import { open } from "../runtime/sandbox/open.ts";
import { makeBases, trusted } from "./bases.ts";
import { damages } from "./bytes.ts";
import { edits } from "./edits.ts";
import { attackProgram, editTokens } from "./programs.ts";
import { printStatement, remake, type Json } from "./remake.ts";
import { run } from "./run.ts";

const bases = makeBases(1, { random: 4, golden: /^(?:worked-example|role-policy-chain|glob-dialect|variables)/ });
// The long run is `npm run fuzz -- mutants`; this one is the same on every machine.
const tally = run({ seed: 3, damaged: 2000, remade: 150, bases, realm: open() });
const sum = (named: RegExp): number => [...tally].reduce((total, [name, many]) => total + (named.test(name) ? many : 0), 0);

describe("a bundle that nobody has made whole again", () => {
  test("is refused where signatures count, whatever was changed", () => {
    expect(sum(/^with signatures: refused/)).toBe(2000 - sum(/^as it was/));
  });

  test("is refused where they do not, or is the original but for who signed it", () => {
    expect(sum(/^without signatures: refused/)).toBeGreaterThan(1700);
    expect(sum(/^without signatures: the original's content/)).toBeGreaterThan(10);
    expect(sum(/^without signatures/)).toBe(sum(/^with signatures/));
  });

  test.each(["cut off or damaged", "no bundle", "not signed", "another's signature", "a signature that does not fit"])(
    "is refused because of: %s",
    (reason) => {
      expect(tally.get(`with signatures: refused, ${reason}`)).toBeGreaterThan(0);
    },
  );
});

describe("a bundle whose digests and signature were made again", () => {
  test("never reaches a server with a program of attacks", () => {
    expect(sum(/^remade, a program of attacks: refused, the gate/)).toBeGreaterThan(10);
    expect(sum(/^remade, a program of attacks: (?!refused)/)).toBe(0);
  });

  test("is refused, or decides as the original, or is another policy; no check of it fails", () => {
    expect(sum(/^remade/)).toBe(150);
    expect(sum(/: refused/)).toBeGreaterThan(60);
    expect(sum(/checks fail/)).toBe(0);
  });
});

describe("the mutations", () => {
  test.each(bases)("of $name begin with the very bytes", ({ bytes, bundle }) => {
    const statement = openFrame(bytes).statement;
    const written: { [name: string]: Json } = JSON.parse(jsonOf(statement));
    expect(Buffer.from(printStatement(written)).equals(statement)).toBe(true);
    remake(written);
    expect(Buffer.from(printStatement(written)).equals(statement)).toBe(true);
    expect(readBundle(bytes, { kind: "keys", keys: trusted }).content.bundle).toEqual(bundle);
  });

  test.each(damages)("%s: something is other than before", (_name, _weight, damage) => {
    const [one, other] = bases.map(({ bytes }) => Buffer.from(bytes));
    if (one === undefined || other === undefined) throw new Error("there are no bases");
    const changed = Array.from({ length: 20 }, (_, seed) => Buffer.from(damage(openRandom(seed), one, other)));
    expect(changed.some((bytes) => !bytes.equals(one))).toBe(true);
  });

  test.each(edits)("$name: something is said otherwise", ({ run: edit }) => {
    // One with units that can be changed about.
    const of = bases.toSorted((left, right) => right.bundle.units.length - left.bundle.units.length);
    const read = (at: number): { [name: string]: Json } => JSON.parse(jsonOf(openFrame(of[at]?.bytes ?? new Uint8Array()).statement));
    const before = JSON.stringify(read(0));
    const changed = Array.from({ length: 20 }, (_, seed) => {
      const written = read(0);
      edit(openRandom(seed), written, read(1));
      return JSON.stringify(written);
    });
    expect(changed.some((text) => text !== before)).toBe(true);
  });

  test("of tokens leave programs that are programs now and then, and the gate knows which", () => {
    const { compiled } = compile(
      [
        {
          path: "doc.yaml",
          text: JSON.stringify({
            apiVersion: "api.authz.dev/v1",
            resourcePolicy: {
              resource: "doc",
              version: "default",
              rules: [
                {
                  actions: ["a", "b*"],
                  effect: "EFFECT_ALLOW",
                  roles: ["user"],
                  condition: { match: { expr: "R.attr.x == 1 && P.id != R.id" } },
                },
              ],
            },
          }),
        },
      ],
      { digest },
    );
    const program = compiled?.modules[0]?.text ?? "";
    expect(refusalOf(program)).toBe(undefined);
    const edited = Array.from({ length: 2000 }, (_, seed) => editTokens(openRandom(seed), program)).filter((text) => text !== program);
    const admitted = edited.filter((text) => refusalOf(text) === undefined);
    expect(admitted.length).toBeGreaterThan(20);
    expect(admitted.length).toBeLessThan(edited.length / 2);
  });

  test("with attacks are none that the gate admits", () => {
    const programs = Array.from({ length: 3000 }, (_, seed) => attackProgram(openRandom(seed)));
    expect(new Set(programs).size).toBeGreaterThan(2000);
    expect(programs.filter((program) => refusalOf(program) === undefined && !isHonest(program))).toEqual([]);
  });
});

/** An outline with nothing in it that could reach, change or outlast anything. */
const isHonest = (program: string): boolean => !/constructor|__|eval|import|process|while|for/.test(program);
