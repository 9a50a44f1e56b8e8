/** What is remembered of tokens: the claims of those that were asked for last, within bounds, and how often that helped. */
import { expect, test } from "vitest";
import type { Claims } from "../../src/auxdata/claims.ts";
import { openClaimsCache } from "../../src/auxdata/claims-cache.ts";

const claimsOf = (auxDataText: string): Claims => ({ auxDataText, expires: undefined, notBefore: undefined, issued: undefined });
const short = claimsOf("{}");
/** Three of them are more than all claims together may have. */
const long = claimsOf("x".repeat(6 * 1024 * 1024));

/** `+a` remembers short claims, `*a` long ones, `?a` recalls, `-a` forgets. */
function play(most: number, steps: string) {
  const memory = openClaimsCache(most);
  for (const step of steps.split(" ")) {
    const key = step.slice(1);
    if (step.startsWith("+")) memory.set(key, short);
    else if (step.startsWith("*")) memory.set(key, long);
    else if (step.startsWith("?")) memory.get(key);
    else memory.delete(key);
  }
  const { hits, misses, live, max } = memory.state();
  return { kept: [..."abcdef"].filter((key) => memory.get(key) !== undefined).join(""), hits, misses, live, max };
}

test.each<[sentence: string, most: number, steps: string, kept: string, hits: number, misses: number]>([
  ["what was never there is missed", 3, "?a", "", 0, 1],
  ["what was remembered is there", 3, "+a ?a ?a ?b", "a", 2, 1],
  ["as many as there may be stay", 3, "+a +b +c", "abc", 0, 0],
  ["of more, the oldest goes", 3, "+a +b +c +d", "bcd", 0, 0],
  ["what was asked for is young again", 3, "+a +b +c ?a +d", "acd", 1, 0],
  ["what is remembered again is young again", 3, "+a +b +c +a +d", "acd", 0, 0],
  ["what is forgotten leaves room", 3, "+a +b +c -b +d", "acd", 0, 0],
  ["long claims go before there are many", 100, "*a *b *c", "bc", 0, 0],
  ["and so does what is short and older", 100, "+a *b *c *d", "cd", 0, 0],
  ["what is remembered twice is counted once", 100, "*a *a *b *b *a", "ab", 0, 0],
  ["what was forgotten is counted no longer", 100, "*a *b -a *c -b *d", "cd", 0, 0],
  ["what went is counted no longer", 100, "*a *b *c *d +e", "cde", 0, 0],
  ["where nothing may stay, nothing does", 0, "+a ?a", "", 0, 1],
])("%s", (_sentence, most, steps, kept, hits, misses) => {
  expect(play(most, steps)).toEqual({ kept, hits, misses, live: kept.length, max: most });
});

test("what is recalled is what was remembered last", () => {
  const memory = openClaimsCache(2);
  memory.set("a", short);
  memory.set("a", long);
  expect(memory.get("a")).toBe(long);
});
