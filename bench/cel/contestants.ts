/** The CEL packages that are compared, each used as its documentation says is fastest: prepared once, asked many times. */
import { celEnv, celList, celMap, isCelError, parse as parseForPlan, plan } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { Environment } from "@marcbachmann/cel-js";
import { evaluate as visit, parse as parseToTree } from "cel-js";
import { compile, type FormName } from "../../src/cel/index.ts";
import type { Input } from "./inputs.ts";

/** An answer to a condition: a boolean, an error, or something else, printed. */
export type Answer = string;

/** A contestant who has seen the condition and the inputs. */
export interface Prepared {
  /** Answers about one input, to be checked. */
  readonly answer: (at: number) => Answer;
  /** Answers about every input, to be timed: how many times the condition is true. */
  readonly pass: () => number;
}

/** One way to evaluate CEL. */
export interface Contestant {
  readonly name: string;
  /** It is asked only whether the condition is true, so that an error is no, like false. */
  readonly onlyTruth?: boolean;
  readonly prepare: (condition: string, inputs: readonly Input[]) => Prepared;
}

const variables = { P: "json", R: "json" };

/** What the condition comes to, by the interpreter. */
export function reference(condition: string, inputs: readonly Input[]): readonly Answer[] {
  const { explain } = compile(condition, { variables });
  return inputs.map((input) => {
    const outcome = explain({ ...input });
    return outcome.kind === "error" ? "error" : print(outcome.value);
  });
}

/** Ours, asked whether the condition is true. Neither false nor an error is. */
export const test = (forms?: readonly FormName[]): Contestant => ({
  name: "authz, test",
  onlyTruth: true,
  prepare: (condition, inputs) => {
    const program = compile(condition, { variables, ...(forms && { forms }) });
    const given = inputs.map((input) => ({ ...input }));
    return {
      answer: (at) => print(program.test(given[at])),
      pass: () => {
        let held = 0;
        for (const input of given) if (program.test(input)) held++;
        return held;
      },
    };
  },
});

/** Ours, asked for the value: an error is told from false. */
export const evaluate: Contestant = {
  name: "authz, evaluate",
  prepare: (condition, inputs) => {
    const program = compile(condition, { variables });
    const given = inputs.map((input) => ({ ...input }));
    return {
      answer: (at) => {
        const value = program.evaluate(given[at]);
        return value === undefined ? "error" : print(value);
      },
      pass: () => {
        let held = 0;
        for (const input of given) if (program.evaluate(input) === true) held++;
        return held;
      },
    };
  },
};

/** Parsed once; the tree is visited with each input. */
const celJs: Contestant = {
  name: "cel-js",
  prepare: (condition, inputs) => {
    const parsed = parseToTree(condition);
    if (!parsed.isSuccess) throw new Error(parsed.errors.join("; "));
    const { cst } = parsed;
    // Loops bind their variable in the object itself.
    const given = inputs.map((input) => ({ ...input }));
    return {
      answer: (at) => attempt(() => visit(cst, given[at])),
      pass: () => {
        let held = 0;
        for (const input of given) {
          try {
            if (visit(cst, input) === true) held++;
          } catch {
            // An error is an answer.
          }
        }
        return held;
      },
    };
  },
};

/** Parsed once. Of its ways to declare a variable `dyn` is the fastest here; typed classes and schemas are slower. */
const marcbachmann = (name: string, shape: (value: unknown) => unknown): Contestant => ({
  name,
  prepare: (condition, inputs) => {
    const program = new Environment().registerVariable("P", "dyn").registerVariable("R", "dyn").parse(condition);
    const checked = program.check();
    if (!checked.valid) throw checked.error ?? new Error("refused");
    const given = inputs.map(({ P, R }) => ({ P: shape(P), R: shape(R) }));
    return {
      answer: (at) => attempt(() => program(given[at])),
      pass: () => {
        let held = 0;
        for (const input of given) {
          try {
            if (program(input) === true) held++;
          } catch {
            // An error is an answer.
          }
        }
        return held;
      },
    };
  },
});

/** Planned once, with the package's own maps and lists, so that nothing is converted on the way. */
const bufbuild: Contestant = {
  name: "@bufbuild/cel",
  prepare: (condition, inputs) => {
    const program = plan(celEnv({ funcs: strings }), parseForPlan(condition));
    const given = inputs.map(({ P, R }) => ({ P: toCel(P), R: toCel(R) }));
    return {
      answer: (at) => {
        const result = program(given[at]);
        return isCelError(result) ? "error" : print(result);
      },
      pass: () => {
        let held = 0;
        for (const input of given) if (program(input) === true) held++;
        return held;
      },
    };
  },
};

const isRecord = (value: unknown): value is object => typeof value === "object" && value !== null;

function toMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toMaps);
  return isRecord(value) ? new Map(Object.entries(value).map(([key, of]) => [key, toMaps(of)])) : value;
}

type CelInput = Parameters<typeof celList>[0] extends infer List ? (List extends readonly (infer Element)[] ? Element : never) : never;

function toCel(value: unknown): CelInput {
  if (Array.isArray(value)) return celList(value.map(toCel));
  if (isRecord(value)) return celMap(new Map(Object.entries(value).map(([key, of]) => [key, toCel(of)])));
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null) return value;
  throw new Error(`${typeof value} is not JSON`);
}

function attempt(run: () => unknown): Answer {
  try {
    return print(run());
  } catch {
    return "error";
  }
}

const print = (value: unknown): Answer => (typeof value === "bigint" ? `${value}` : (JSON.stringify(value) ?? String(value)));

/** Everybody else. One package stands here twice: whether objects or Maps are faster depends on the question. */
export const others: readonly Contestant[] = [
  celJs,
  marcbachmann("@marcbachmann/cel-js, objects", (value) => value),
  marcbachmann("@marcbachmann/cel-js, Maps", toMaps),
  bufbuild,
];
