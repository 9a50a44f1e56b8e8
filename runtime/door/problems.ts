/** Collects everything that is wrong with what a program passes, each problem with its place. */

/** One thing that is wrong: "principal.id", "must be a string". */
export interface Problem {
  readonly at: string;
  readonly problem: string;
}

/** What was found so far. */
export interface Found {
  problems: Problem[] | undefined;
}

/** Takes one thing that is wrong. */
export const note = (found: Found, at: string, problem: string): void => void (found.problems ??= []).push({ at, problem });

/** How many are written out. */
const most = 10;

/** Throws what was found, if something was. */
export function endWith({ problems }: Found, name: "RequestError" | "OptionError", opening: string): void {
  if (problems === undefined) return;
  const lines = problems.slice(0, most).map(({ at, problem }) => `${at === "" ? "it" : `\`${at}\``} ${problem}`);
  const more = problems.length - lines.length;
  const message = `${opening}: ${lines.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
  throw errorNamed(name, message, { problems });
}

/** An error of that name. What is its own is not set: where somebody has frozen what errors inherit, setting a name fails. */
export const errorNamed = (name: string, message: string, own: object = {}): Error =>
  Object.defineProperties(new Error(message), Object.getOwnPropertyDescriptors({ name, ...own }));

/** Says what somebody gave, in a word. */
export function wordFor(value: unknown): string {
  if (value === undefined) return "it is not there";
  if (value === null) return "it is null";
  if (Array.isArray(value)) return "it is a list";
  if (typeof value === "object") {
    const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
    return typeof name === "string" && name !== "Object" && name !== "" ? `it is a ${name.slice(0, 40)}` : "it is an object";
  }
  return typeof value === "number" && !Number.isFinite(value) ? `it is ${value}` : `it is a ${typeof value}`;
}
