/** Collects all problems with what a program passes, each with its path. */

/** A problem: path "principal.id", text "must be a string". */
export interface Problem {
  readonly at: string;
  readonly problem: string;
}

/** The problems found so far; undefined if none. */
export interface ProblemList {
  problems: Problem[] | undefined;
}

/** Adds a problem. */
export const addProblem = (found: ProblemList, at: string, problem: string): void => void (found.problems ??= []).push({ at, problem });

/** How many problems the message lists. */
const most = 10;

/** Throws an error with all problems, if there are any. */
export function throwProblems({ problems }: ProblemList, name: "RequestError" | "OptionError", opening: string): void {
  if (problems === undefined) return;
  const lines = problems.slice(0, most).map(({ at, problem }) => `${at === "" ? "it" : `\`${at}\``} ${problem}`);
  const more = problems.length - lines.length;
  const message = `${opening}: ${lines.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
  throw errorNamed(name, message, { problems });
}

/**
 * Builds an error with a name and further properties. Defined rather than assigned: if Error.prototype is frozen,
 * assigning `name` fails.
 */
export const errorNamed = (name: string, message: string, own: object = {}): Error =>
  Object.defineProperties(new Error(message), Object.getOwnPropertyDescriptors({ name, ...own }));

/** Describes the type of a value. */
export function describeType(value: unknown): string {
  if (value === undefined) return "it is missing";
  if (value === null) return "it is null";
  if (Array.isArray(value)) return "it is a list";
  if (typeof value === "object") {
    const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
    return typeof name === "string" && name !== "Object" && name !== "" ? `it is a ${name.slice(0, 40)}` : "it is an object";
  }
  return typeof value === "number" && !Number.isFinite(value) ? `it is ${value}` : `it is a ${typeof value}`;
}
