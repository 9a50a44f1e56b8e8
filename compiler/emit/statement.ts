/** Emits `if (tests) body`, and if-else. */
import { type Code, block, js } from "./code.ts";
import { joined } from "./logic.ts";

/** Statements guarded by tests, all of which must be true. */
export function statement(tests: readonly Code[], body: readonly Code[]): readonly Code[] {
  const [only] = body;
  if (tests.length === 0 || only === undefined) return body;
  const test = joined("&&", tests);
  return body.length === 1 && isOneLine(only) ? [js`if (${test}) ${only}`] : [block(js`if (${test}) {`, body, js`}`)];
}

/** An if-else. */
export const ifElse = (test: Code, yes: readonly Code[], no: readonly Code[]): Code =>
  js`${block(js`if (${test}) {`, yes, js`}`)} ${block(js`else {`, no, js`}`)}`;

const isOneLine = (code: Code): boolean =>
  code.kind !== "block" && !(code.kind === "sequence" && code.parts.some((part) => part.kind === "block"));

/** Optional code as a list. */
export const present = (code: Code | undefined): readonly Code[] => (code === undefined ? [] : [code]);
