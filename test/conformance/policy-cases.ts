/** What the areas about policies have in common: cases as data, and messages and errors in the form that the cases want. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Diagnostic } from "../../compiler/diagnostic.ts";
import { messages, type Reference } from "../../compiler/messages.ts";
import { positionAt } from "../../compiler/source.ts";
import type { ConformanceCase } from "./area.ts";

/** The cases of one area, each file read when its case runs. */
export function* policyCases(folder: string, area: string, run: (wanted: never) => void | Promise<void>): Iterable<ConformanceCase> {
  const manifest: { readonly cases: readonly { readonly id: string; readonly area: string; readonly path: string }[] } = JSON.parse(
    readFileSync(join(folder, "manifest.json"), "utf8"),
  );
  for (const { id, path } of manifest.cases.filter((each) => each.area === area)) {
    yield { id, run: () => run(parse(readFileSync(join(folder, path), "utf8")) as never) }; // the data's own README says what a case of the area is
  }
}

export const referenceOf = (diagnostic: Diagnostic): Reference => messages[diagnostic.code].reference;

interface WantedPosition {
  readonly line?: number;
  readonly column?: number;
  readonly path?: string;
}

/** One problem as a line of text that is equal exactly if the problems are: file, kind or id, place. */
export const problem = (file: string, kind: string | undefined, position: WantedPosition | undefined): string =>
  [file, kind || "-", position?.line ?? "-", position?.column ?? "-", position?.path ?? "-"].join(" ");

/** A diagnostic as such a line; errors that have no place in the reference have none here. */
export function problemOf(diagnostic: Diagnostic, kind: string): string {
  const file = (diagnostic.span?.source ?? diagnostic.source)?.path ?? "-";
  return problem(
    file,
    kind,
    diagnostic.span && {
      ...positionAt(diagnostic.span.source, diagnostic.span.start),
      ...(diagnostic.path !== undefined && { path: diagnostic.path }),
    },
  );
}

/** Throws unless both lists hold the same lines, in whatever order. */
export function expectSame(what: string, found: readonly string[], wanted: readonly string[]): void {
  const [left, right] = [found.toSorted().join("\n"), wanted.toSorted().join("\n")];
  if (left !== right) throw new Error(`${what}\nfound:\n${left}\nwanted:\n${right}`);
}

/** Free JSON, in which a zero is not the same as nothing. */
const isFree = (path: string): boolean => /(?:constants\.local|exportConstants\.definitions|attributes)\.[^.]*$/.test(path);

/** Leaves out fields that hold their type's zero, and sorts keys, so that equal messages are equal texts. */
export function canonical(value: unknown, path = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item, path));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, inner]) => {
      const at = `${path}.${name}`;
      return [name, isFree(at) ? sorted(inner) : canonical(inner, at), isFree(at)] as const;
    });
  return Object.fromEntries(entries.filter(([, inner, free]) => free || !isZero(inner)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

const isZero = (value: unknown): boolean =>
  value === "" ||
  value === 0 ||
  value === false ||
  value === null ||
  value === undefined ||
  (typeof value === "object" && Object.keys(value).length === 0);
