/** The function that answers for the rows of one policy: verdicts behind tests, in source order. */
import { mostRepeated } from "./bounds.ts";
import { declare, inScope, takeNew, useAs } from "./names.ts";
import { type Program, startsWith, take, takeConstant, takeDigits, takeIf, takeIndex, takeOne, unexpected, within } from "./program.ts";
import { refuse } from "./refusal.ts";
import { type Rows, tests, times } from "./tests.ts";

/** Reads `(q, action, roles) => { let effect = rt.NONE; ... }`, in a scope of its own. */
export function rows(program: Program): void {
  take(program, "(q, action,");
  const all: Rows = { bits: takeOne(program, ["roles", "kinds"]), inEntries: false };
  take(program, ") => {\nlet effect =");
  takeOne(program, ["rt.NONE", "rt.DENY"]);
  take(program, ";");
  if (takeIf(program, "switch (")) ways(program, all);
  statements(program, all);
}

/** `action) { case k1: case k2: { ... } }`, or `n1.get(action)) { case 0: { ... } }`. */
function ways(program: Program, all: Rows): void {
  const isLookedUp = program.reading.kind === "name";
  if (isLookedUp) {
    useAs(program, "map");
    take(program, ".get(action)");
  } else take(program, "action");
  take(program, ") {");
  while (takeIf(program, "case")) {
    if (isLookedUp) takeDigits(program);
    else takeConstant(program, "text");
    take(program, ":");
    if (takeIf(program, "{")) inScope(program, "block", () => statements(program, all));
  }
  take(program, "}");
}

/** Reads statements, and the `}` behind them. */
function statements(program: Program, all: Rows): void {
  while (!takeIf(program, "}")) within(program, () => statement(program, all));
}

function statement(program: Program, all: Rows): void {
  if (takeIf(program, "for (")) return inScope(program, "block", () => entries(program, all));
  if (!takeIf(program, "if (")) return simple(program, all);
  tests(program, all);
  take(program, ")");
  if (!takeIf(program, "{")) return simple(program, all);
  statements(program, all);
  if (takeIf(program, "else {")) statements(program, all);
}

/** `let n1 = 2; n1 > 0; n1--) { ... }`: every entry of a rule's actions is a row. What it counts is written down, and bounded. */
function entries(program: Program, all: Rows): void {
  const { text, start } = program.reading;
  if (all.inEntries) refuse(text, start, "a loop over entries within another");
  take(program, "let");
  const entry = takeNew(program);
  take(program, "=");
  const turns = times(program, all);
  take(program, ";");
  declare(program, entry, { kind: "position" });
  useAs(program, "position");
  take(program, "> 0;");
  useAs(program, "position");
  take(program, "--) {");
  statements(program, { ...all, inEntries: true });
  program.repeated += turns * (program.reading.start - start);
  if (program.repeated > mostRepeated) refuse(text, start, "loops over entries that come to more than a rule can have");
}

const verdicts = ["rt.NONE;", "rt.ALLOW;", "rt.DENY;"] as const;

/** A statement that holds no other. */
function simple(program: Program, all: Rows): void {
  if (takeIf(program, "return effect;")) return;
  if (takeIf(program, "return") || takeIf(program, "effect =")) return void takeOne(program, verdicts);
  if (!startsWith(program, "q.")) unexpected(program, "a statement");
  const call = takeOne(program, ["q.holds(", "q.consider(", "q.output("]);
  takeIndex(program);
  if (call === "q.output(") {
    take(program, ",");
    takeConstant(program, "text");
    take(program, ", action");
  }
  if (call !== "q.consider(") {
    take(program, ",");
    useAs(program, "query");
  }
  if (call === "q.output(") {
    take(program, ",");
    times(program, all);
  }
  take(program, ");");
}
