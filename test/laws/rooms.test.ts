/** The law of the rooms: one uses another one way only, so that each can be read without those above it. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, posix } from "node:path";
import { expect, test } from "vitest";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "src"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => path.endsWith(".ts") && existsSync(path));

/** Rooms that know the one they stand in, and two that know a type or a name of one above. */
const known = new Set([
  "src/admin/changes -> src/admin",
  "src/audit/file -> src/audit",
  "src/audit/local -> src/audit",
  "src/cli/admin -> src/cli",
  "src/store/git -> src/store",
  "src/bundle -> src/store",
  "src/config -> src/editor",
]);

/** A file at the top is a room of its own. */
const roomOf = (path: string): string => (dirname(path) === "src" ? path : dirname(path));

/** Every use of one room by another, with a file that shows it. */
function uses(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const path of files) {
    for (const [, from, inline] of readFileSync(path, "utf8").matchAll(/\bfrom "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/g)) {
      const used = posix.join(dirname(path), from ?? inline ?? "");
      const use = `${roomOf(path)} -> ${roomOf(used)}`;
      if (used.startsWith("src/") && roomOf(path) !== roomOf(used)) found.set(use, `${path} uses ${used}`);
    }
  }
  return found;
}

test("rooms of the program use each other one way only", () => {
  const found = uses();
  expect(found.size).toBeGreaterThan(100);
  let left = [...found.keys()].filter((use) => !known.has(use));
  for (let before = Infinity; left.length < before;) {
    before = left.length;
    // Who is used by nobody that is left, or uses nobody, is in no circle.
    const [users, used] = [0, 1].map((side) => new Set(left.map((use) => use.split(" -> ")[side])));
    left = left.filter((use) => {
      const [user, target] = use.split(" -> ");
      return used?.has(user) === true && users?.has(target) === true;
    });
  }
  expect(left.map((use) => found.get(use))).toEqual([]);
  expect([...known].filter((use) => !found.has(use))).toEqual([]);
});
