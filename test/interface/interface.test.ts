/** The checklist of the interface specification, run, and held against the document itself. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as check from "./check.ts";
import * as endpoints from "./endpoints.ts";
import * as health from "./health.ts";
import * as listeners from "./listeners.ts";
import * as logging from "./logging.ts";
import * as metrics from "./metrics.ts";
import * as openTelemetry from "./opentelemetry.ts";
import * as policies from "./policies.ts";
import * as rules from "./rules.ts";
import * as schemas from "./schemas.ts";
import { openScene, type Scene } from "./scene.ts";
import type { Section } from "./section.ts";

const sections: readonly Section[] = [
  listeners,
  logging,
  openTelemetry,
  check,
  schemas,
  policies,
  endpoints,
  health,
  metrics,
  rules,
].flatMap((part) => Object.values(part));

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

describe.each(sections)("$heading", ({ rows }) => {
  test.each(rows.map(({ row, holds }) => [row, holds] as const))("%s", async (_, holds) => holds(scene));
});

const path = join(import.meta.dirname, "../../../shared/spec/interface.md");

if (existsSync(path)) {
  const written = readFileSync(path, "utf8").split("\n");
  test("every row of the document has its case, and every case is of a row", () => {
    const ours = sections.flatMap(({ rows }) => rows.map(({ row }) => row)).toSorted();
    const theirs = rowsOf(written).toSorted();
    expect(theirs.filter((row) => !ours.some((text) => row.startsWith(text)))).toEqual([]);
    expect(ours.filter((text) => !theirs.some((row) => row.startsWith(text)))).toEqual([]);
  });
} else console.warn("left out: whether the checklist is complete, because the interface specification does not lie beside the project");

/** The first cells of tables, numbered sentences, and the two shapes of policies; what merely introduces is not among them. */
function rowsOf(lines: readonly string[]): readonly string[] {
  const heads = new Set(["Item", "Variable", "Field", "Operation", "Flag", "Metric", "Limit"]);
  return lines.flatMap((line, index) => {
    const cell = /^\| (.+?) \|/.exec(line)?.[1];
    if (cell !== undefined) return heads.has(cell) && lines[index + 1]?.startsWith("|---") ? [] : [cell];
    if (/^\d\. /.test(line)) return [line];
    if (/^- (Resource policy|Derived roles): /.test(line)) return [line.slice(2)];
    return line.includes("A command validates a configuration file.") ? [line] : [];
  });
}
