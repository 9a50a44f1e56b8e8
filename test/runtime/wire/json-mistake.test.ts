/** What is said about a text that is not JSON, for each mistake that people make. */
import { expect, test } from "vitest";
import { printJsonMistake } from "../../../runtime/wire/json-mistake.ts";
import { scanJson } from "../../../runtime/wire/scan.ts";

const quotes = 'JSON has " around strings and names, and no other quotes';
const noNumber = "JSON has no such number: leave it out, or write null or a string";

test.each([
  // what, the text with ¦ at the place that is named, what is said
  ["nothing", "¦", "expected a value, found the end of the text: the text is empty"],
  ["white space only", " \n ¦", "expected a value, found the end of the text: the text is empty"],
  ["cut off before a value", '{"a":¦', "expected a value, found the end of the text: the text ends too early, as if it were cut off"],
  [
    "cut off within a string",
    '{\n"a":"b¦',
    "expected the closing quote of a string, found the end of the text: the text ends too early, as if it were cut off",
  ],
  ["cut off after a value", '["a"¦', 'expected "," or "]", found the end of the text: the text ends too early, as if it were cut off'],
  ["a comma after the last field", '{"a":1,\n¦}', "expected a field name in double quotes, found `}`: remove the comma before it"],
  ["a comma after the last item", "[1, ¦]", "expected a value, found `]`: remove the comma before it"],
  ["a field without a value", '{"a":¦}', "expected a value, found `}`"],
  ["a name in single quotes", "{¦'a':1}", `expected a field name in double quotes or "}", found \`'\`: ${quotes}`],
  ["a string in single quotes", "{\"a\":¦'b'}", `expected a value, found \`'\`: ${quotes}`],
  ["quotes of a word processor", "{¦\u201ca\u201d:1}", `expected a field name in double quotes or "}", found \`\u201c\`: ${quotes}`],
  ["a name without quotes", "{¦a:1}", 'expected a field name in double quotes or "}", found `a`'],
  ["a byte order mark", "¦\ufeff{}", "expected a value, found U+FEFF: remove the byte order mark"],
  [
    "a space that does not break",
    '{"a":¦\u00a01}',
    "expected a value, found U+00A0: remove the special space (only ordinary spaces, tabs and line breaks may be there)",
  ],
  ["a comment at the start", "¦// x\n{}", "expected a value, found `/`: JSON has no comments"],
  ["a comment behind a value", '{"a":1 ¦/* x */}', 'expected "," or "}", found `/`: JSON has no comments'],
  ["a comment of YAML", '{\n  ¦# x\n "a":1}', 'expected a field name in double quotes or "}", found `#`: JSON has no comments'],
  ["a comment at the end", "{} ¦// x", "expected the end of the text, found `/`: JSON has no comments"],
  ["NaN", '{"a":¦NaN}', `expected a value, found \`N\`: ${noNumber}`],
  ["Infinity", "[¦Infinity]", `expected a value, found \`I\`: ${noNumber}`],
  ["negative infinity", "[-¦Infinity]", `expected a digit, found \`I\`: ${noNumber}`],
  ["a constant of Python", "[¦True]", "expected a value, found `T`: JSON has true and false in small letters"],
  ["another one", "[¦None]", "expected a value, found `N`: JSON has null for no value"],
  ["undefined", "[¦undefined]", "expected a value, found `u`: JSON has null for no value"],
  ["a word that only begins like one", "[¦Nonesuch]", "expected a value, found `N`"],
  ["another mistake", '{"a" ¦1}', 'expected ":" after a field name, found `1`'],
])("%s", (_what, marked, wanted) => {
  const before = marked.slice(0, marked.indexOf("¦"));
  const text = marked.replace("¦", "");
  const place = `line ${before.split("\n").length}, column ${before.length - before.lastIndexOf("\n")}`;
  const problem = scanJson(text);
  expect(problem && printJsonMistake(text, problem)).toBe(`${place}: ${wanted}`);
});
