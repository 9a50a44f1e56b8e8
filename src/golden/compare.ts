/** Compares two outcomes of a request, and prints the differences line by line. */
import type { Value } from "../../runtime/cel/value.ts";
import { canonicalJson } from "../testing/same-json.ts";
import { diffJson } from "../testing/diff-json.ts";

/** A resource with another outcome. */
export interface ResourceDifference {
  /** Its index in the request. */
  readonly index: number;
  readonly resource: string;
  readonly lines: readonly string[];
  /** The actions with another outcome. */
  readonly actions: readonly string[];
}

/** Lists the resources whose outcomes differ. */
export function compareOutcomes(recorded: readonly Value[], found: readonly Value[]): readonly ResourceDifference[] {
  const differences: ResourceDifference[] = [];
  for (let index = 0; index < Math.max(recorded.length, found.length); index++) {
    const [before, now] = [recorded[index], found[index]];
    if (canonicalJson(before) === canonicalJson(now)) continue;
    const resource = String(partOf(now ?? before, "resource") ?? `resources[${index}]`);
    const lines = diffJson(before ?? null, now ?? null).map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
    differences.push({ index, resource, lines, actions: changedActions(partOf(before, "actions"), partOf(now, "actions")) });
  }
  return differences;
}

function changedActions(before: unknown, now: unknown): readonly string[] {
  const names = typeof now === "object" && now !== null ? Object.keys(now) : [];
  return names.filter((name) => canonicalJson(partOf(before, name)) !== canonicalJson(partOf(now, name)));
}

function partOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
