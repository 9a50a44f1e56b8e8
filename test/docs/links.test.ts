/** Links between the pages of the project: to files that there are, and to headings that these have. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const pages = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && existsSync(path));

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
