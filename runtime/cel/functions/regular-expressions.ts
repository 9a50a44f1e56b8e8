/** `regex.*`: replacing and extracting with RE2 patterns. */
import { global, type FunctionRow } from "../declare.ts";
import { EvalError, evalError } from "../error.ts";
import { longestList, longestText, tooLong } from "../limits.ts";
import { optionalOf, type Optional } from "../optional.ts";
import { findAll, groupCount } from "../regex.ts";
import { int, listOf, optionalOf as optionalType, string } from "../type.ts";

/** A parsed replacement: literal strings and group numbers. */
type Part = string | number;

/** Parses `\1` and `\\`. Any other backslash, or a group that the pattern does not have, is an error. */
function readReplacement(text: string, groups: number): readonly Part[] | EvalError {
  const parts: Part[] = [];
  for (let i = 0; i < text.length;) {
    const next = text.indexOf("\\", i);
    if (next < 0) {
      parts.push(text.slice(i));
      break;
    }
    parts.push(text.slice(i, next));
    const escaped = text.charAt(next + 1);
    if (escaped === "\\") parts.push("\\");
    else if (!/^[0-9]$/.test(escaped)) return evalError("invalid argument", "invalid replacement string: \\ must be followed by a digit or \\");
    else if (Number(escaped) > groups) return evalError("invalid argument", `the replacement refers to group ${escaped}, the pattern has ${groups}`);
    else parts.push(Number(escaped));
    i = next + 2;
  }
  return parts;
}

function replace(text: string, pattern: string, replacement: string, most: bigint): string | EvalError {
  const groups = groupCount(pattern);
  if (groups instanceof EvalError) return groups;
  const found = findAll(text, pattern, most < 0n || most > BigInt(longestList) ? longestList : Number(most));
  if (found instanceof EvalError) return found;
  // As in cel-go, the replacement is not validated if nothing is replaced.
  if (found.length === 0) return text;
  const parts = readReplacement(replacement, groups);
  if (parts instanceof EvalError) return parts;
  const pieces: string[] = [];
  let length = text.length;
  let end = 0;
  for (const match of found) {
    const put = parts.map((part) => (typeof part === "string" ? part : match.groups[part] ?? "")).join("");
    length += put.length;
    if (length > longestText) return tooLong("string");
    pieces.push(text.slice(end, match.start), put);
    end = match.end;
  }
  return pieces.join("") + text.slice(end);
}

/**
 * The text of each match: of its only group, or of the whole match if there are no groups; matches with an empty
 * group are skipped.
 */
function extract(text: string, pattern: string, most: number): readonly string[] | EvalError {
  const groups = groupCount(pattern);
  if (groups instanceof EvalError) return groups;
  if (groups > 1) return evalError("invalid argument", `the pattern has ${groups} groups, one is allowed`);
  const found = findAll(text, pattern, most);
  if (found instanceof EvalError) return found;
  return found.map((match) => match.groups[groups] ?? "").filter((part) => groups === 0 || part !== "");
}

function extractFirst(text: string, pattern: string): Optional | EvalError {
  const found = extract(text, pattern, 1);
  return found instanceof EvalError ? found : optionalOf(found[0]);
}

export const regularExpressions: readonly FunctionRow[] = [
  global("regex.replace", "regex_replace_string_string_string",     [string, string, string],      string, (text, pattern, by) => replace(text, pattern, by, -1n),
    [['regex.replace("banana", "a", "i")', '"binini"'], ['regex.replace("banana", "b(a).*", r"\\1")', '"a"'], ['regex.replace("abc", "", "-")', '"-a-b-c-"'],
      ['regex.replace("a", "a", r"\\1")', "error: invalid argument"], ['regex.replace("a", "b", r"\\1")', '"a"']]),
  global("regex.replace", "regex_replace_string_string_string_int", [string, string, string, int], string, (text, pattern, by, most) => replace(text, pattern, by, most),
    [['regex.replace("banana", "a", "i", 1)', '"binana"'], ['regex.replace("banana", "a", "i", 0)', '"banana"']]),
  global("regex.extract", "regex_extract_string_string", [string, string], optionalType(string), extractFirst,
    [['regex.extract("hello world", "hello(.*)")', 'optional.of(" world")'], ['regex.extract("a", "b")', "optional.none()"], ['regex.extract("ab", "(a)(b)")', "error: invalid argument"]]),
  global("regex.extractAll", "regex_extractAll_string_string", [string, string], listOf(string), (text, pattern) => extract(text, pattern, longestList),
    [['regex.extractAll("a bb a cc", "a")', '["a", "a"]'], ['regex.extractAll("a1 b2", "[a-z]([0-9])")', '["1", "2"]'], ['regex.extractAll("a", "x")', "[]"]]),
];
