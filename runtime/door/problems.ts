/** What is wrong with what a program says: all of it at once, each with its place. */

/** Takes one thing that is wrong: "`principal.id`", "must be a text". */
export type Note = (at: string, problem: string) => void;

/** How many are written out. */
const most = 10;

/** Collects problems; `end` throws when there are some. */
export function openProblems(name: "RequestError" | "OptionError", opening: string): { readonly note: Note; readonly end: () => void } {
  const found: { readonly at: string; readonly problem: string }[] = [];
  return {
    note: (at, problem) => void found.push({ at, problem }),
    end() {
      if (found.length === 0) return;
      const lines = found.slice(0, most).map(({ at, problem }) => `${at === "" ? "it" : `\`${at}\``} ${problem}`);
      const more = found.length - lines.length;
      const message = `${opening}: ${lines.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
      throw Object.assign(new Error(message), { name, problems: found });
    },
  };
}

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
