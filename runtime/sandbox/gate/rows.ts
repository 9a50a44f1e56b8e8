/** Admits the function that evaluates the rows of one policy: effects guarded by tests, in source order. */
import { noteQuestion } from "./question-use.ts";
import { maxRepeated } from "./bounds.ts";
import { declare, inScope, takeNew, useAs } from "./names.ts";
import { type Program, startsWith, take, takeConstant, takeDigits, takeIf, takeOne, takeQuestion, unexpected, within } from "./program.ts";
import { refuse } from "./refusal.ts";
import { asked, type Rows, tests, times } from "./tests.ts";
import { noteCall, type Cost, measure } from "./cost.ts";

/**
 * Admits `(q, action, roles, first) => { let effect = rt.NONE; ... }` in a scope of its own; returns the maximal cost
 * for one action.
 */
export function rows(program: Program): Cost {
  take(program, "(q, action,");
  const all: Rows = { bits: takeOne(program, ["roles", "kinds"]), inEntries: false };
  take(program, ", first) => {\nlet effect =");
  takeOne(program, ["rt.NONE", "rt.DENY"]);
  take(program, ";");
  const way = takeIf(program, "switch (") ? ways(program, all) : 0;
  const { characters } = measure(program, () => void statements(program, all));
  return { characters: way + characters, allocates: 0 };
}

/**
 * `action) { case k1: case k2: { ... } }`, or `n1.get(action)) { case 0: { ... } }`; returns the cost of the longest
 * path.
 */
function ways(program: Program, all: Rows): number {
  let [names, way, longest] = [0, 0, 0];
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
    if (!isLookedUp) names += priceOfName;
    if (!takeIf(program, "{")) continue;
    let ends = false;
    way += measure(program, () => (ends = inScope(program, "block", () => statements(program, all)))).characters;
    longest = Math.max(longest, way);
    // A block that does not return falls through to the next.
    if (ends) way = 0;
  }
  take(program, "}");
  return names + longest;
}

/** The cost of comparing an action with one name, in characters. */
const priceOfName = 8;

/** Admits statements up to `}`; returns whether the last one is a return. */
function statements(program: Program, all: Rows): boolean {
  let ends = false;
  while (!takeIf(program, "}")) {
    ends = startsWith(program, "return");
    within(program, () => statement(program, all));
  }
  return ends;
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

/**
 * `let n1 = 2; n1 > 0; n1--) { ... }`: one row for each entry of a rule's actions. The number of iterations is given
 * in the text, and bounded.
 */
function entries(program: Program, all: Rows): void {
  const { text, start } = program.reading;
  if (all.inEntries) refuse(text, start, "a loop over entries within another");
  take(program, "let");
  const entry = takeNew(program);
  take(program, "=");
  const repetitions = times(program, all);
  take(program, ";");
  declare(program, entry, { kind: "position" });
  useAs(program, "position");
  take(program, "> 0;");
  useAs(program, "position");
  take(program, "--) {");
  const cost = measure(program, () => void statements(program, { ...all, inEntries: true }));
  program.repeated += repetitions * (program.reading.start - start);
  if (program.repeated > maxRepeated) refuse(text, start, "loops over entries that come to more than a rule can have");
  noteCall(program, cost, Math.max(0, repetitions - 1));
}

const verdicts = ["rt.NONE;", "rt.ALLOW;", "rt.DENY;"] as const;

/** A statement without nested ones. */
function simple(program: Program, all: Rows): void {
  if (takeIf(program, "return effect;")) return;
  if (takeIf(program, "return") || takeIf(program, "effect =")) return void takeOne(program, verdicts);
  if (!startsWith(program, "q.")) unexpected(program, "a statement");
  const call = takeOne(program, ["q.holds(", "q.consider(", "q.output("]);
  if (call === "q.holds(") asked(program);
  else if (call === "q.consider(") noteQuestion(program, takeQuestion(program), "marks");
  else told(program, all);
  take(program, ");");
}

/** `first + 0, k1, action, n2, 1`: index of the output, its source, the action, the output, and how often. */
function told(program: Program, all: Rows): void {
  const index = takeQuestion(program);
  take(program, ",");
  takeConstant(program, "text");
  take(program, ", action,");
  noteQuestion(program, index, "tells", useAs(program, "query"));
  take(program, ",");
  times(program, all);
}
