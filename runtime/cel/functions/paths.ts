/**
 * File paths: parts, relative paths, and glob patterns. A path with a backslash is a Windows path, any other a Unix
 * path.
 */
import { global, method, type FunctionRow } from "../declare.ts";
import { EvalError, evalError } from "../error.ts";
import { joinPaths, lastElement, parentOf, printPath, readPath, volumeOf, wayBetween, withSlashes, type Path } from "../path.ts";
import { charactersOf, matchesCharacters } from "../path-pattern.ts";
import { bool, listOf, string } from "../type.ts";
import type { Value } from "../value.ts";

const texts = listOf(string);

/** Parses a path and returns one of its parts. */
const partOf = (text: string, part: (path: Path) => string): string | EvalError => {
  const path = readPath(text);
  return path instanceof EvalError ? path : part(path);
};

/** The extension: from the last dot of the last element. */
function extension(path: Path): string {
  const last = lastElement(path);
  const dot = last.lastIndexOf(".");
  return dot < 0 ? "" : last.slice(dot);
}

/** An empty list yields "". A single path is returned unchanged, not even normalised. */
function join(list: readonly Value[]): string | EvalError {
  const paths: Path[] = [];
  for (const each of list) {
    if (typeof each !== "string") return evalError("no such overload", "joinPath takes a list of strings");
    if (list.length === 1) return each;
    const path = readPath(each);
    if (path instanceof EvalError) return path;
    paths.push(path);
  }
  const [first, ...others] = paths;
  return first === undefined ? "" : printPath(joinPaths(first, others));
}

function relative(from: string, to: string): string | EvalError {
  const base = readPath(from);
  if (base instanceof EvalError) return base;
  const target = readPath(to);
  if (target instanceof EvalError) return target;
  return wayBetween(base, target) ?? evalError("invalid argument", `there is no way from ${from} to ${to} by their names alone`);
}

/**
 * Whether the relative path neither is empty nor starts with a dot (`..`). A hidden file directly under the prefix
 * starts with a dot too, so it does not count.
 */
function hasPrefix(text: string, prefix: string): boolean | EvalError {
  if (text === prefix) return true;
  const way = relative(prefix, text);
  return way instanceof EvalError ? way : way !== "" && !way.startsWith(".") && !way.startsWith("/");
}

const match = (text: string, pattern: string): boolean | EvalError => matchAnyOf(text, [pattern]);

/** Tries the patterns in order. An invalid one is an error unless an earlier one matches. */
function matchAnyOf(text: string, patterns: readonly Value[]): boolean | EvalError {
  const path = readPath(text);
  if (path instanceof EvalError) return path;
  const characters = charactersOf(withSlashes(path));
  for (const pattern of patterns) {
    if (typeof pattern !== "string") return evalError("no such overload", "patterns are strings");
    const wanted = readPath(pattern);
    if (wanted instanceof EvalError) return wanted;
    const found = matchesCharacters(withSlashes(wanted), characters);
    if (found !== false) return found;
  }
  return false;
}

/** The path functions of the policy library. In examples, `r"..."` is a raw string, which keeps backslashes. */
export const paths: readonly FunctionRow[] = [
  global("basePath", "basePath_string", [string], string, (path) => partOf(path, lastElement),
    [['basePath("/a/b.txt")', '"b.txt"'], [String.raw`basePath(r"C:\a\b\\")`, '"b"'], ['basePath("/a/b/../c/")', '"c"'], ['basePath("")', '"."'], ['basePath("/")', '"/"'], ['basePath("C:/a")', "error: invalid argument"]]),
  global("dirPath", "dirPath_string", [string], string, (path) => partOf(path, parentOf),
    [['dirPath("/a/b/c.txt")', '"/a/b"'], ['dirPath("/a//b/")', '"/a"'], ['dirPath("a")', '"."'], ['dirPath("/")', '"/"'], [String.raw`dirPath(r"C:\a\b")`, String.raw`"C:\\a"`], [String.raw`dirPath("C:")`, String.raw`"C:\\"`],
      [String.raw`dirPath(r"\\host\share\a")`, String.raw`"\\\\host\\share"`], [String.raw`dirPath(r"\\host\share")`, String.raw`"\\\\host\\share"`], [String.raw`dirPath(r"a\b")`, '"a"'], ['dirPath("C:a")', "error: invalid argument"]]),
  global("extPath", "extPath_string", [string], string, (path) => partOf(path, extension),
    [['extPath("/a.b/c.tar.gz")', '".gz"'], ['extPath("/a.b/c")', '""'], ['extPath("/a/.profile")', '".profile"'], [String.raw`extPath(r"C:\a\b.txt")`, '".txt"'], ['extPath("D:b.txt")', "error: invalid argument"]]),
  global("joinPath", "joinPath_list", [texts], string, join,
    [['joinPath(["/a", "b", "../c.txt"])', '"/a/c.txt"'], ['joinPath(["a", "/b"])', '"a/b"'], ['joinPath(["C:", "a", "b"])', String.raw`"C:\\a\\b"`], [String.raw`joinPath([r"\\host", "share", "a"])`, String.raw`"\\\\host\\share\\a"`],
      ["joinPath([])", '""'], ['joinPath(["a//b"])', '"a//b"'], ['joinPath(dyn(["a", 1]))', "error: no such overload"], ['joinPath(["a", "C:/b"])', "error: invalid argument"]]),
  global("pathHasPrefix", "pathHasPrefix_overload", [string, string], bool, hasPrefix,
    [['pathHasPrefix("/a/b/c", "/a/b")', "true"], ['pathHasPrefix("/a/bc", "/a/b")', "false"], ['pathHasPrefix("/a/b/../c", "/a/b")', "false"], ['pathHasPrefix("/a/.x", "/a")', "false"], ['pathHasPrefix("/a/b/.x", "/a")', "true"],
      ['pathHasPrefix("a", "/a")', "error: invalid argument"]]),
  method("pathHasPrefix", "pathHasPrefix_member_overload", [string, string], bool, hasPrefix,
    [[String.raw`r"C:\a\b".pathHasPrefix(r"C:\a")`, "true"], ['"/a".pathHasPrefix("/a")', "true"], ['"/a/".pathHasPrefix("/a")', "false"]]),
  global("pathMatch", "pathMatch_overload", [string, string], bool, match,
    [['pathMatch("/a/b.txt", "/a/*.txt")', "true"], ['pathMatch("/a/b/c.txt", "/a/*.txt")', "false"], ['pathMatch("/a/b1", "/a/b[0-9]")', "true"], ['pathMatch("/a/bx", "/a/b[^0-9]")', "true"], ['pathMatch("/a/b", "/a/[")', "error: invalid argument"]]),
  method("pathMatch", "pathMatch_member_overload", [string, string], bool, match,
    [[String.raw`r"C:\a\b.txt".pathMatch(r"C:\?\*.txt")`, "true"], ['"/a/x/../b".pathMatch("/a/b")', "true"]]),
  global("pathMatchAnyOf", "pathMatchAnyOf_overload", [string, texts], bool, matchAnyOf,
    [['pathMatchAnyOf("/a/b.txt", ["*.md", "/a/*.txt"])', "true"], ['pathMatchAnyOf("/a", [])', "false"], ['pathMatchAnyOf("/a", dyn([1]))', "error: no such overload"]]),
  method("pathMatchAnyOf", "pathMatchAnyOf_member_overload", [string, texts], bool, matchAnyOf,
    [['"/a".pathMatchAnyOf(["/b", "/a"])', "true"], ['"/a".pathMatchAnyOf(["[", "/a"])', "error: invalid argument"]]),
  global("relPath", "relPath_string_string", [string, string], string, relative,
    [['relPath("/a/b", "/a/c/d")', '"../c/d"'], ['relPath("/a", "/a")', '"."'], ['relPath("", "a")', '"a"'], [String.raw`relPath(r"C:\a", r"C:\b")`, String.raw`"..\\b"`], ['relPath("/a", "b")', "error: invalid argument"], ['relPath("..", "a")', "error: invalid argument"]]),
  global("volumeName", "volumeName_string", [string], string, volumeOf,
    [[String.raw`volumeName(r"C:\a")`, '"C:"'], [String.raw`volumeName(r"\\host\share\a")`, String.raw`"\\\\host\\share"`], ['volumeName("/a")', '""'], [String.raw`volumeName(r"\\host")`, '""']]),
];
