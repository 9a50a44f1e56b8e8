/** Parses the `OTEL_*` environment variables; every mistake is recorded with the name of its variable. */
import type { Environment } from "../../config/environment.ts";

/** A variable that is set. */
export interface Found {
  readonly name: string;
  readonly value: string;
}

/** Reads variables. One that is unset or empty is undefined, and takes the default. */
export interface Variables {
  /** Returns the first of these variables that is set. */
  readonly first: (...names: readonly string[]) => Found | undefined;
  /** Records a mistake; the sentence follows the variable's name, and must not quote what may be a secret. */
  readonly mistake: (found: Found, sentence: string) => void;
  readonly choice: <Choice extends string>(found: Found | undefined, choices: readonly Choice[], usual: Choice) => Choice;
  readonly flag: (found: Found | undefined) => boolean;
  /** Parses a positive integer. */
  readonly count: (found: Found | undefined, usual: number) => number;
  /** Parses `a=1,b=2`, with percent-encoding. */
  readonly pairs: (found: Found | undefined) => readonly Pair[];
  /** Returns every mistake so far. */
  readonly mistakes: () => readonly string[];
}

/** A name and its value. */
export type Pair = readonly [name: string, value: string];

/** The longest delay of a timer in milliseconds. */
const maxMilliseconds = 2 ** 31 - 1;

/** Opens the variables of an environment. */
export function openVariables(environment: Environment): Variables {
  const mistakes: string[] = [];
  const mistake: Variables["mistake"] = ({ name }, sentence) => void mistakes.push(`${name} ${sentence}`);
  return {
    mistake,
    mistakes: () => [...new Set(mistakes)],
    first: (...names) => {
      for (const name of names) {
        const value = environment[name]?.trim();
        if (value !== undefined && value !== "") return { name, value };
      }
      return undefined;
    },
    choice: (found, choices, usual) => {
      if (found === undefined) return usual;
      const chosen = choices.find((choice) => choice === found.value.toLowerCase());
      if (chosen === undefined) mistake(found, `is \`${found.value}\`: it can be ${listed(choices)}`);
      return chosen ?? usual;
    },
    flag: (found) => {
      if (found === undefined) return false;
      const value = found.value.toLowerCase();
      if (value !== "true" && value !== "false") mistake(found, `is \`${found.value}\`: it can be true or false`);
      return value === "true";
    },
    count: (found, usual) => {
      if (found === undefined) return usual;
      const value = Number(found.value);
      if (/^\d+$/.test(found.value) && value >= 1 && value <= maxMilliseconds) return value;
      mistake(found, `is \`${found.value}\`: it must be a whole number between 1 and ${maxMilliseconds}`);
      return usual;
    },
    pairs: (found) => (found === undefined ? [] : readPairs(found, mistake)),
  };
}

/** Joins words: `a, b or c`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** Parses pairs. Values may be secrets, so mistakes name only the position of a pair. */
function readPairs(found: Found, mistake: Variables["mistake"]): readonly Pair[] {
  const pairs: Pair[] = [];
  for (const [index, text] of found.value.split(",").entries()) {
    if (text.trim() === "") continue;
    const equals = text.indexOf("=");
    const [name, value] = [decoded(text.slice(0, Math.max(0, equals))), decoded(text.slice(equals + 1))];
    if (name === undefined || value === undefined || name === "")
      mistake(found, `has a pair that cannot be read, the ${ordinal(index + 1)}: write name=value, and %2C for a comma in a value`);
    else pairs.push([name, value]);
  }
  return pairs;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return undefined; // malformed percent-encoding
  }
}

function ordinal(number: number): string {
  const ends = ["st", "nd", "rd"] as const;
  return `${number}${Math.floor((number % 100) / 10) === 1 ? "th" : (ends[(number % 10) - 1] ?? "th")}`;
}
