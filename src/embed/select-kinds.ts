/**
 * Selects the part of a policy set that decides about some kinds of resources, so that it decides about them exactly as the whole set
 * does.
 */
import type { Compiled } from "../../compiler/index.ts";
import type { Module } from "../../compiler/emit/module.ts";
import { openEmitter } from "../../compiler/emit/unit.ts";
import { pack } from "../../compiler/pack.ts";
import type { ScopeTable, UnitTable } from "../../compiler/table/table.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { matchesNone, openKindPatterns } from "../../runtime/decide/patterns.ts";
import { keyOf, sanitiseName } from "../../runtime/decide/policy-name.ts";
import { nearest } from "../../runtime/nearest.ts";
import { byUnits } from "../../runtime/order.ts";
import { digest } from "../texts/digest.ts";
import { refusal } from "../refusal.ts";

/** A part of a policy set. */
export interface PolicySetPart {
  readonly bundle: Bundle;
  /** The tables of its units, in the order of the units. */
  readonly tables: readonly UnitTable[];
  /** Its modules, in the same order. */
  readonly modules: readonly Module[];
  /** The keys of the policies that were left out. */
  readonly leftOut: readonly string[];
  /** Scopes without a policy in this part, which must still exist because they do in the whole set. */
  readonly scopes: readonly string[];
}

/** Selects the resource policies of some kinds, every role policy, and the principal policies with rules about these kinds. */
export function selectKinds({ modules, table }: Compiled, kinds: readonly string[]): PolicySetPart {
  const units = table.units;
  const known = units.filter(({ type }) => type === "resource");
  const wanted = new Set(kinds.map(sanitiseName));
  const isOf = (unit: UnitTable, kind: string): boolean => unit.name === sanitiseName(kind) || unit.writtenName === kind;
  const missing = kinds.filter((kind) => !known.some((unit) => isOf(unit, kind)));
  if (kinds.length === 0 || missing.length > 0)
    throw refusal(unknownKinds(missing, [...new Set(known.map(({ writtenName }) => writtenName))]));

  const isKept = (unit: UnitTable): boolean => {
    if (unit.type === "role") return true;
    if (unit.type === "resource") return wanted.has(unit.name) || kinds.some((kind) => isOf(unit, kind));
    return unit.scopes.some(({ patterns }) => patterns.some((pattern) => mayMatch(pattern, kinds)));
  };
  const left = units.filter((unit) => !isKept(unit));
  const kept = new Set(units.filter(isKept).map(({ id }) => id));
  const emit = openEmitter({ digest });
  const emptyUnits = (["principal", "resource"] as const).flatMap((type) => scopesOf(type, units, kept));
  const chosen = [...modules.filter(({ unit }) => kept.has(unit.id)), ...emptyUnits.map(emit)];
  const byId = (one: UnitTable, other: UnitTable): number => byUnits(one.id, other.id);
  const sorted = chosen.toSorted((one, other) => byUnits(one.unit.id, other.unit.id));
  return {
    modules: sorted,
    tables: [...units.filter(isKept), ...emptyUnits].toSorted(byId),
    bundle: pack(sorted, { digest }),
    leftOut: left.flatMap(({ scopes }) => scopes.map(({ key }) => key)).toSorted(byUnits),
    scopes: [...new Set(emptyUnits.flatMap(({ scopes }) => scopes.map(({ scope }) => scope)))].toSorted(byUnits),
  };
}

function unknownKinds(missing: readonly string[], known: readonly string[]): string {
  if (missing.length === 0) return "`--kinds` names no kind";
  const [first = ""] = missing;
  const near = nearest(first, known);
  const hint = near === undefined ? "" : `: did you mean \`${near}\`?`;
  const some =
    known.length === 0
      ? "there is no policy of any kind"
      : `there is ${known.slice(0, 20).toSorted(byUnits).join(", ")}${known.length > 20 ? ", ..." : ""}`;
  return `no resource policy is of the kind${missing.length === 1 ? "" : "s"} ${missing.map((kind) => `\`${kind}\``).join(", ")}${hint}\n  ${some}`;
}

/** Returns whether a principal policy's pattern may match a kind, in its written or its sanitised form. */
function mayMatch(pattern: string, kinds: readonly string[]): boolean {
  // The kind in a request may differ from the name here and be sanitised to it; a pattern with other characters might match that
  // spelling.
  if (pattern.includes("*") && /[^\w.*]/.test(pattern)) return true;
  const { matching } = openKindPatterns([pattern]);
  return kinds.some((kind) => !matchesNone(matching(kind)) || !matchesNone(matching(sanitiseName(kind))));
}

/** Returns policies without rules for scopes that would disappear: which scopes exist affects the decision. */
function scopesOf(type: "principal" | "resource", units: readonly UnitTable[], kept: ReadonlySet<string>): readonly UnitTable[] {
  // Role policies create scopes of resources too; they are all in the part.
  const counting = units.filter((unit) => unit.type === type || (type === "resource" && unit.type === "role"));
  const there = new Set(counting.filter(({ id }) => kept.has(id)).flatMap((unit) => existingScopes(unit).map(({ scope }) => scope)));
  const missing = new Map<string, ScopeTable>();
  for (const table of counting.flatMap(existingScopes))
    if (!there.has(table.scope) && !missing.has(table.scope)) missing.set(table.scope, table);
  if (missing.size === 0) return [];
  const [version, name] = ["_", nameFor(units)];
  const scopes = [...missing.values()]
    .toSorted((one, other) => byUnits(one.scope, other.scope))
    .map(({ scope, span }): ScopeTable => {
      const nothing = { patterns: [], derivedRoles: [], rows: [], parentRoles: [], variables: [], constants: [], schemas: {} };
      return { scope, key: keyOf(type, name, version, scope), span, sourceAttributes: {}, ...nothing };
    });
  return [{ id: `${type} ${name}@${version}`, type, name, writtenName: name, version, scopes }];
}

/** A role policy without rules does not make its scope exist (semantics 4.4). */
const existingScopes = ({ type, scopes }: UnitTable): readonly ScopeTable[] =>
  type === "role" ? scopes.filter(({ rows }) => rows.length > 0) : scopes;

/** Returns a name that no policy has. */
function nameFor(units: readonly UnitTable[]): string {
  let name = "left_out";
  while (units.some((unit) => unit.name === name)) name += "_";
  return name;
}
