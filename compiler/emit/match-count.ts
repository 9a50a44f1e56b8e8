/** How often a row applies: a number known at compile time, or code that counts at run time. */
import { type Code, digits, isCode, js, terms } from "./code.ts";
import { atom } from "./context.ts";

/** A count of matching entries of a rule's actions or roles. */
export type MatchCount = number | Code;

/** The code of a count. */
export const matchCountCode = (times: MatchCount): Code => (isCode(times) ? times : digits(times));

/** Adds counts. */
export function sum(counts: readonly MatchCount[]): MatchCount {
  const known = counts.reduce<number>((total, count) => (isCode(count) ? total : total + count), 0);
  const codes = counts.filter(isCode);
  if (codes.length === 0) return known;
  const [only] = codes;
  if (known === 0 && codes.length === 1 && only !== undefined) return only;
  return terms("+", known === 0 ? codes : [digits(known), ...codes]);
}

/** Multiplies two counts. */
export function product(left: MatchCount, right: MatchCount): MatchCount {
  if (left === 1) return right;
  if (right === 1) return left;
  return isCode(left) || isCode(right) ? js`${factor(left)} * ${factor(right)}` : left * right;
}

/** Adds parentheses to a sum before multiplication. */
const factor = (times: MatchCount): Code => (isCode(times) && times.kind === "terms" ? atom(times) : matchCountCode(times));
