/** Holds our answers and those of the reference against each other. */
import { totalNanos } from "../../runtime/cel/duration.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { isList, isMap, kindOf } from "../../runtime/cel/kind.ts";
import { mapEntries } from "../../runtime/cel/map.ts";
import { printValue } from "../../runtime/cel/print-value.ts";
import { printType } from "../../runtime/cel/type.ts";
import { Duration, Message, Opaque, Timestamp, TypeValue, Uint, type Value } from "../../runtime/cel/value.ts";
import { type Answer, kindsOf } from "./answer.ts";
import type { Accepted, Generated, Ours } from "./ours.ts";
import { longestLine } from "./peer.ts";
import { hasEcho, isEcho, probe } from "./probe.ts";

/** In what two answers differ. */
export type Aspect = "acceptance" | "outcome" | "value" | "error" | "generated";

/** What is asked about an expression: itself, or whether it comes to our value. */
export interface Question {
  readonly line: string;
  readonly form: "itself" | "probe" | "outcome only";
}

const fits = (line: string): boolean => Buffer.byteLength(line) <= longestLine;

/** Chooses what to ask; undefined when it is too long to be asked. */
export function questionFor(text: string, ours: Ours, probeAnyway: boolean): Question | undefined {
  if (!fits(text)) return undefined;
  if (ours.kind === "refused" || ours.interpreted instanceof EvalError) return { line: text, form: "itself" };
  if (!probeAnyway && hasEcho(ours.interpreted, ours.type)) return { line: text, form: "itself" };
  const line = probe(text, ours.interpreted);
  return fits(line) ? { line, form: "probe" } : { line: text, form: "outcome only" };
}

/** Says in what the answers differ, or undefined where they agree. */
export function differs(ours: Ours, { form }: Question, theirs: Answer): Aspect | undefined {
  if (ours.kind === "refused") return theirs.kind === "refused" ? undefined : "acceptance";
  if (theirs.kind === "refused") return "acceptance";
  if (!agreesWithItself(ours)) return "generated";
  const value = ours.interpreted;
  if (value instanceof EvalError) {
    if (theirs.kind !== "error") return "outcome";
    const kinds = kindsOf(theirs.message);
    return kinds === undefined || kinds.includes(value.kind) ? undefined : "error";
  }
  if (theirs.kind !== "value") return "outcome";
  if (form === "outcome only") return undefined;
  const same = form === "probe" ? theirs.text === "true" : isEcho(theirs.text, value, ours.type);
  return same === true ? undefined : "value";
}

/** Generated code says what the interpreter says, in each of its three forms. */
export function agreesWithItself({
  interpreted,
  generated: { value, isTrue, isFalse },
}: Pick<Accepted, "interpreted" | "generated">): boolean {
  if (isTrue !== (interpreted === true) || isFalse !== (interpreted === false)) return false;
  return interpreted instanceof EvalError ? value === undefined : value !== undefined && identical(interpreted, value);
}

/** The same value, kind by kind. */
function identical(left: Value, right: Value): boolean {
  if (kindOf(left) !== kindOf(right)) return false;
  if (isList(left))
    return isList(right) && left.length === right.length && left.every((each, index) => identical(each, right[index] ?? null));
  if (isMap(left)) {
    if (!isMap(right)) return false;
    const [ours, others] = [Array.from(mapEntries(left)), Array.from(mapEntries(right))];
    return (
      ours.length === others.length &&
      ours.every(([key, value]) => others.some(([otherKey, other]) => identical(key, otherKey) && identical(value, other)))
    );
  }
  if (left instanceof Uint) return right instanceof Uint && left.value === right.value;
  if (left instanceof Duration) return right instanceof Duration && totalNanos(left) === totalNanos(right);
  if (left instanceof Opaque)
    return right instanceof Opaque && left.typeName === right.typeName && (left.equals(right) || left.typeName === "spiffeMatcher");
  if (left instanceof Message) return right instanceof Message && left.typeName === right.typeName;
  if (left instanceof Uint8Array || left instanceof Timestamp || left instanceof TypeValue) return printValue(left) === printValue(right);
  return Object.is(left, right);
}

/** Says one of our answers in words. */
export function printOurs(ours: Ours): string {
  if (ours.kind === "refused") return `refused: ${ours.message}`;
  const { interpreted, type } = ours;
  const said = interpreted instanceof EvalError ? `error: ${interpreted.message}` : printValue(interpreted);
  return `${said} (${printType(type)})${agreesWithItself(ours) ? "" : `; generated: ${printGenerated(ours.generated)}`}`;
}

const printGenerated = ({ value, isTrue, isFalse }: Generated): string =>
  `${value === undefined ? "error" : printValue(value)}, true: ${isTrue}, false: ${isFalse}`;

/** Says an answer of the reference in words. */
export function printTheirs(theirs: Answer): string {
  switch (theirs.kind) {
    case "value":
      return theirs.text.replaceAll(/\s+/g, " ");
    case "set":
      return "a setting";
    default:
      return `${theirs.kind}: ${theirs.message.replaceAll(/\s+/g, " ").slice(0, 400)}`;
  }
}
