/** Validates the programs of a bundle by the grammar gate, and the constants of units by what their programs do with them: a string where a string is used, bits where bits are tested. */
import type { Bundle, BundledUnit, ConstantValue } from "../../runtime/bundle.ts";
import { readConstant } from "../../runtime/constant.ts";
import { couldCollide, maxSpread } from "../../runtime/emitted/listed.ts";
import { type ConstantUse, type ReadProgram, readProgram } from "../../runtime/sandbox/gate/index.ts";
import { isObject, within, wrong, type Place } from "./check.ts";

/** How a program uses its constants, and the questions (conditions) that its policies ask. */
type Read = Pick<ReadProgram, "uses" | "questions">;

/** Checks every program by the grammar gate of the sandbox, and returns what was read of each. Nothing is evaluated. */
export function readPrograms(shapes: Bundle["shapes"]): ReadonlyMap<string, Read> {
  const read = (name: string, text: string): Read => {
    const program = readProgram(text);
    if (typeof program === "string") return wrong(within("shapes", name), `cannot be run: ${program}`);
    const { uses, questions } = program;
    return { uses, questions };
  };
  return new Map(Object.entries(shapes).map(([name, text]) => [name, read(name, text)]));
}

/** Throws a refusal that names the first constant whose type differs from what its program expects. */
export function checkConstants({ constants }: BundledUnit, uses: readonly ConstantUse[], at: Place): void {
  uses.forEach((use, place) => {
    const { is, should } = kinds[use];
    const constant = constants[place];
    if (constant === undefined || !is(constant)) wrong(within(within(at, "constants"), place), should);
  });
}

interface Kind {
  readonly is: (constant: ConstantValue) => boolean;
  readonly should: string;
}

const isText = (constant: unknown): constant is string => typeof constant === "string";
const isScalar = (constant: ConstantValue): boolean => !Array.isArray(constant) && !(isObject(constant) && "object" in constant);
const isScalars = (constant: ConstantValue): constant is readonly ConstantValue[] => Array.isArray(constant) && constant.every(isScalar);
const isDouble = (constant: ConstantValue): boolean => typeof constant === "number" || (isObject(constant) && "double" in constant);
const isCount = (constant: unknown): boolean => typeof constant === "number" && Number.isSafeInteger(constant) && constant >= 0;

const kinds: { readonly [use in ConstantUse]: Kind } = {
  data: { is: () => true, should: "must be a constant" },
  scalar: { is: isScalar, should: "must be no list or map" },
  number: { is: isDouble, should: "must be a number" },
  bits: { is: (constant) => typeof constant === "number" && (constant | 0) === constant, should: "must be the bits of patterns" },
  text: { is: isText, should: "must be a string" },
  texts: { is: (constant) => Array.isArray(constant) && constant.every(isText), should: "must be a list of strings" },
  scalars: { is: isScalars, should: "must be a list of strings and numbers" },
  "few numbers": {
    is: (constant) => isScalars(constant) && !couldCollide(constant.map(readConstant)),
    should: `must be a list of strings and of ${maxSpread} numbers at most`,
  },
  "numbers by text": {
    is: (constant) =>
      Array.isArray(constant) &&
      constant.every((pair: unknown) => Array.isArray(pair) && pair.length === 2 && isText(pair[0]) && isCount(pair[1])),
    should: "must be a list of strings with their numbers",
  },
};
