/** How many times faster is our generated code than the other CEL packages, and does every one of them answer right? */
import { execFileSync } from "node:child_process";
import { evaluate, others, test } from "./cel/contestants.ts";
import { type FormTimes, printForms, runForms } from "./cel/forms.ts";
import { type Result, runHeat } from "./cel/heat.ts";
import { inputsOf } from "./cel/inputs.ts";
import { type Question, questions } from "./cel/questions.ts";
import { isGiven, isQuick, valueOf } from "./tell/flags.ts";
import { report } from "./tell/report.ts";

const flags = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const course = isQuick
  ? { rounds: 1, warmUpMilliseconds: 1, roundMilliseconds: 1 }
  : { rounds: 9, warmUpMilliseconds: 200, roundMilliseconds: 25 };
const isFiguresOnly = isGiven("json") && valueOf("json") === undefined;
const shapes = Number(valueOf("shapes") ?? 4);
const ours = [test(), evaluate];
const alone = valueOf("alone");

/** What is printed of a question, and written with `--json`. */
interface Row {
  readonly name: string;
  readonly condition: string;
  readonly goal?: number;
  readonly results: readonly Result[];
}

// Nobody's code is spoilt by the conditions before: that flatters those who visit trees, and leaves ours as it is.
function inOwnProcess(question: Question, more: readonly string[] = []): string {
  const [, script = ""] = process.argv;
  return execFileSync(
    process.execPath,
    ["--expose-gc", script, `--alone=${question.name}`, `--shapes=${shapes}`, ...(isQuick ? ["--quick"] : []), ...more],
    {
      encoding: "utf8",
    },
  );
}

function timesOf(question: Question): FormTimes {
  return JSON.parse(inOwnProcess(question, ["--forms"]));
}

function compare(asked: readonly Question[]): number {
  const rows = asked.map((question): Row => {
    const results: readonly Result[] = JSON.parse(inOwnProcess(question));
    const row = { ...question, results };
    if (!isFiguresOnly) printRow(row);
    return row;
  });
  report({
    bench: "cel",
    figures: { shapes, course, rows: rows.map(withRatio) },
    text: "",
    goals: rows.flatMap((row) =>
      row.goal === undefined ? [] : [{ name: row.name, found: isRight(row) ? ratio(row).test : 0, least: row.goal }],
    ),
  });
  return rows.every((row) => isRight(row)) ? Number(process.exitCode ?? 0) : 1;
}

/** The fastest of the others beside ours; infinite where nobody else answers right. */
function ratio({ results }: Row): { readonly test: number; readonly evaluate: number; readonly fastest?: Result } {
  const fastest = results
    .slice(ours.length)
    .filter(({ time }) => time !== undefined)
    .toSorted((a, b) => (a.time?.median ?? 0) - (b.time?.median ?? 0))[0];
  const against = (mine: Result | undefined): number =>
    mine?.time === undefined ? Number.NaN : (fastest?.time?.median ?? Number.POSITIVE_INFINITY) / mine.time.median;
  return { test: against(results[0]), evaluate: against(results[1]), ...(fastest && { fastest }) };
}

const withRatio = (row: Row) => ({ ...row, ratio: ratio(row).test, evaluateRatio: ratio(row).evaluate, pass: holds(row) });

/** Whether our own answers are right: others are not timed. */
const isRight = ({ results }: Row): boolean => results.slice(0, ours.length).every(({ time }) => time !== undefined);

/** A goal is met, and our own answers are right. */
const holds = (row: Row): boolean => isRight(row) && (row.goal === undefined || ratio(row).test >= row.goal);

function printRow(row: Row): void {
  const { test: times, evaluate: timesOfValue, fastest } = ratio(row);
  const goal = row.goal === undefined ? "" : `   goal ${row.goal}: ${holds(row) ? "PASS" : "MISS"}`;
  console.log(`\n${row.name}   ${row.condition}`);
  for (const { contestant, time, absent } of row.results) {
    const shown =
      time === undefined ? absent : `${time.median.toFixed(1).padStart(9)} ns   (${time.least.toFixed(1)} to ${time.most.toFixed(1)})`;
    console.log(`  ${contestant.padEnd(30)}${shown}`);
  }
  console.log(
    `  ratio ${times.toFixed(1)} (evaluate ${timesOfValue.toFixed(1)}) to ${fastest?.contestant ?? "nobody: no other is right"}${goal}`,
  );
}

if (alone === undefined) {
  const asked = questions.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  process.exitCode = flags.includes("--forms") ? printForms(asked, timesOf) : compare(asked);
} else {
  const question = questions.find(({ name }) => name === alone);
  if (question === undefined) throw new Error(`no question is called ${alone}`);
  const answer = flags.includes("--forms")
    ? runForms(question, inputsOf(shapes), course)
    : runHeat(question, inputsOf(shapes), [...ours, ...others], course);
  process.stdout.write(JSON.stringify(answer));
}
