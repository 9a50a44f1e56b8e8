/** What does it cost to parse, check and emit a condition: a thousand distinct ones, in a new process and in a warm one? */
import { execFileSync } from "node:child_process";
import { check } from "../compiler/cel/check.ts";
import { policyEnvironment } from "../compiler/cel/environment.ts";
import { parse } from "../compiler/cel/parse.ts";
import { emitExpression } from "../compiler/emit/expression-program.ts";
import { jsonType } from "../compiler/emit/value-type.ts";
import { invariant } from "../runtime/cel/error.ts";
import { processMilliseconds, threadMilliseconds } from "./clock.ts";
import { conditions } from "./conditions.ts";
import { isQuick } from "./tell/flags.ts";
import { report, table } from "./tell/report.ts";

const goalMilliseconds = 0.3;
const warmRounds = isQuick ? 1 : 15;

/** Milliseconds a condition: of the thread that compiles, stage by stage, and of all threads together. */
interface Cost {
  readonly parse: number;
  readonly check: number;
  readonly emit: number;
  readonly allThreads: number;
}

// What an evaluation sees is emitted as variables that came from JSON; a policy's own scope emits the same or less.
const variables = new Map(
  ["P", "R", "V", "C", "G", "request", "runtime", "variables", "constants", "globals"].map((name) => [name, jsonType]),
);

/** Compiles every condition once, stage by stage, and answers what a stage costs a condition. */
function compileAll(): Cost {
  const allStarted = processMilliseconds();
  const started = threadMilliseconds();
  const trees = conditions.map((text) => {
    const { tree, issues } = parse(text);
    invariant(tree !== undefined && issues.length === 0, `${text} is a condition`);
    return { text, tree };
  });
  const parsed = threadMilliseconds();
  const checked = trees.map(({ text, tree: syntax }) => {
    const { tree, issues } = check(syntax, policyEnvironment);
    invariant(issues.length === 0, `${text} has no issue: ${issues[0]?.message}`);
    return { text, tree };
  });
  const understood = threadMilliseconds();
  let characters = 0;
  for (const { text, tree } of checked) characters += emitExpression(text, tree, { variables, canCostMuch: false }).text.length;
  const emitted = threadMilliseconds();
  invariant(characters > conditions.length, "every condition has code");
  const each = (from: number, to: number): number => (to - from) / conditions.length;
  return {
    parse: each(started, parsed),
    check: each(parsed, understood),
    emit: each(understood, emitted),
    allThreads: each(allStarted, processMilliseconds()),
  };
}

const whole = ({ parse, check, emit }: Cost): number => parse + check + emit;
const median = (costs: readonly Cost[]): Cost | undefined => costs.toSorted((a, b) => whole(a) - whole(b))[costs.length >> 1];

function cold(): Cost {
  const [, script = ""] = process.argv;
  return JSON.parse(execFileSync(process.execPath, [script, "--once"], { encoding: "utf8" }));
}

if (process.argv.includes("--once")) {
  process.stdout.write(JSON.stringify(compileAll()));
} else {
  const colds = Array.from({ length: isQuick ? 1 : 5 }, cold);
  for (let round = 0; round < (isQuick ? 0 : 5); round++) compileAll();
  const warms = Array.from({ length: warmRounds }, compileAll);
  const rows = { "new process": median(colds), "warm process": median(warms) };
  const lengths = conditions.map(({ length }) => length).toSorted((a, b) => a - b);
  const measured = Object.entries(rows).flatMap(([name, cost]) => (cost === undefined ? [] : [{ name, cost }]));
  report({
    bench: "compile-cel",
    figures: { conditions: conditions.length, rows },
    text: [
      `${conditions.length} distinct conditions, ${lengths[0]} to ${lengths.at(-1)} characters, median ${lengths[lengths.length >> 1]}; ms each`,
      table(
        ["", "all stages", "parse", "check", "emit", "all threads"],
        measured.map(({ name, cost }) => [
          name,
          ...[whole(cost), cost.parse, cost.check, cost.emit, cost.allThreads].map((time) => time.toFixed(3)),
        ]),
      ),
    ].join("\n"),
    goals: [{ name: "a condition, ms", found: Math.max(...measured.map(({ cost }) => whole(cost))), most: goalMilliseconds }],
  });
}
