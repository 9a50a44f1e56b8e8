/** Differences from the reference that were found once stay mended; nothing here needs its binary. */
import { expect, it } from "vitest";
import { EvalError } from "../../runtime/cel/error.ts";
import { printValue } from "../../runtime/cel/print-value.ts";
import { cases, type Found } from "./found.ts";
import type { Input } from "./inputs.ts";
import { agreesWithItself } from "./judge.ts";
import { answer, type Ours } from "./ours.ts";

const inputWith = (attributes: string): Input => ({
  request: `{"principal":{"id":"ann","roles":["user"]},"resource":{"kind":"album","id":"x1","attr":${attributes}}}`,
  constants: "{}",
  variables: "{}",
  globals: "{}",
});

const say = (text: string, attributes = "{}"): Ours => {
  const [ours] = answer([text], inputWith(attributes));
  if (ours === undefined) throw new Error("one answer for one expression");
  return ours;
};

const outcome = (ours: Ours): string =>
  ours.kind === "refused" ? "refused" : ours.interpreted instanceof EvalError ? "error" : printValue(ours.interpreted);

/** The value as we print it, whichever way the table writes it. */
const wanted = (theirs: string): string => (["error", "refused"].includes(theirs) ? theirs : outcome(say(theirs)));

it.each<Found>(cases)("$expression is $theirs, as the reference says", ({ expression, theirs, attributes }) => {
  const ours = say(expression, attributes);
  expect(outcome(ours)).toBe(wanted(theirs));
  if (ours.kind === "accepted") expect(agreesWithItself(ours)).toBe(true);
});
