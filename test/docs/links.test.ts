/** Links between the pages of the project lead to files and headings that there are; so does what code cites by number. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const listed = (...patterns: readonly string[]): readonly string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns], { encoding: "utf8" })
    .split("\n")
    .filter((path) => path !== "" && existsSync(path));

const pages = listed("*.md");

/** The text of a page without its examples, in which brackets mean something else. */
const prose = (path: string): string => readFileSync(path, "utf8").replaceAll(/^```.*?^```/gms, "");

/** The anchor that a heading gets. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

const hasHeading = (path: string, anchor: string): boolean =>
  [...prose(path).matchAll(/^#+ (.*)$/gm)].some(([, heading = ""]) => anchorOf(heading.trim()) === anchor);

/** Is there no such file or heading? Links out of the project are not followed. */
function leadsNowhere(page: string, link: string): boolean {
  if (/^[a-z]+:/.test(link)) return false;
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  return !existsSync(target) || (anchor !== undefined && target.endsWith(".md") && !hasHeading(target, anchor));
}

test.each(pages)("the links of %s lead somewhere", (page) => {
  const links = [
    ...prose(page)
      .replaceAll(/`[^`\n]*`/g, "code")
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, link = ""]) => link);
  expect(links.filter((link) => leadsNowhere(page, link))).toEqual([]);
});

test.each<[what: string, cited: RegExp, page: string, stands: (number: string) => RegExp]>([
  ["decision", /\bD(\d+(?:\.\d+)?)\b/g, "docs/decisions.md", (number) => new RegExp(`\\*\\*D${number}\\b`)],
  ["section of the semantics", /\bsemantics (\d+(?:\.\d+)?)/g, "docs/semantics.md", (number) => new RegExp(`^#+ ${number}\\b`, "m")],
])("every %s that the program cites is there", (_what, cited, page, stands) => {
  const citing = listed("compiler", "runtime", "src").filter((path) => /\.(?:ts|md)$/.test(path));
  const numbers = new Set(citing.flatMap((path) => [...readFileSync(path, "utf8").matchAll(cited)].map(([, number = ""]) => number)));
  expect(numbers.size).toBeGreaterThan(10);
  const text = readFileSync(page, "utf8");
  expect([...numbers].filter((number) => !stands(number).test(text))).toEqual([]);
});
