/** Compares two bundles, and lists the differences for a reviewer. Nothing is evaluated. */
import { byUnits } from "../../runtime/order.ts";
import type { BundleContent } from "./file.ts";
import { outline, type Part, type PolicyOutline, type Says } from "./outline.ts";
import { differencesOf, type ValueDifference } from "./value-difference.ts";

/** The differences between two bundles. */
export interface BundleDifference {
  /** Whether both decide the same and validate attributes the same. */
  readonly isSame: boolean;
  readonly policies: Lists<PolicyChange, PolicyOutline>;
  readonly schemas: Lists<SchemaChange, { readonly id: string }>;
}

/** Items that only one bundle has, and items that differ. */
interface Lists<Changed, Whole> {
  readonly added: readonly Whole[];
  readonly removed: readonly Whole[];
  readonly changed: readonly Changed[];
  /** How many items are equal in both. */
  readonly same: number;
}

/** A policy that differs. */
export interface PolicyChange {
  readonly key: string;
  readonly old?: string;
  readonly new?: string;
  readonly changes: readonly Change[];
}

/** A part of a policy that differs. */
export interface Change {
  /** The kind of part: `rule`, `derived role`, `variable`, `constant`, `policy`. */
  readonly part: string;
  readonly name: string;
  readonly kind: "added" | "removed" | "changed";
  /** Its position in the old and the new bundle; absent where the part is missing or has no position. */
  readonly old?: string;
  readonly new?: string;
  readonly says: readonly ValueDifference[];
}

/** A schema that differs. */
export interface SchemaChange {
  readonly id: string;
  readonly differences: readonly ValueDifference[];
}

/** Compares two bundles. */
export function compareBundles(before: BundleContent, now: BundleContent): BundleDifference {
  const policies = listsOf(outline(before), outline(now), identityOf, comparePolicies);
  const schemas = listsOf(schemasOf(before), schemasOf(now), ({ id }) => id, compareSchemas);
  return {
    isSame:
      before.bundle.manifest.digest === now.bundle.manifest.digest &&
      [policies, schemas].every(({ added, removed, changed }) => added.length + removed.length + changed.length === 0),
    policies: withUnspoken(before, now, policies),
    schemas,
  };
}

/** The identity of a policy: principal policies of different principals can have the same key. */
const identityOf = ({ key, type, name }: PolicyOutline): string => (type === "resource" ? key : JSON.stringify([key, name]));

const schemasOf = ({ schemas }: BundleContent) => [...schemas].map(([id, text]) => ({ id, text }));

function listsOf<T, C>(
  before: readonly T[],
  now: readonly T[],
  identity: (one: T) => string,
  compare: (old: T, is: T) => C | undefined,
): Lists<C, T> {
  const [earlier, later] = [before, now].map((list) => new Map(list.map((one) => [identity(one), one])));
  const both = [...(later ?? [])].flatMap(([key, is]) => {
    const old = earlier?.get(key);
    return old === undefined ? [] : [compare(old, is)];
  });
  const changed = both.filter((change) => change !== undefined);
  return {
    added: now.filter((one) => earlier?.has(identity(one)) !== true),
    removed: before.filter((one) => later?.has(identity(one)) !== true),
    changed,
    same: both.length - changed.length,
  };
}

/**
 * Adds units whose programs differ although the outlines of their policies are equal: the program is what decides, so this must be
 * reported.
 */
function withUnspoken(before: BundleContent, now: BundleContent, lists: BundleDifference["policies"]): BundleDifference["policies"] {
  const said = new Set(lists.changed.map(({ key }) => key));
  const earlier = new Map(before.bundle.units.map((unit) => [unit.id, unit]));
  const unspoken = now.bundle.units.flatMap(({ id, digest, scopes }): readonly PolicyChange[] => {
    const old = earlier.get(id);
    const keys = new Set([...scopes, ...(old?.scopes ?? [])].map(({ key }) => key));
    const isSaid =
      old === undefined || old.digest === digest || old.scopes.length !== scopes.length || [...keys].some((key) => said.has(key));
    const [key] = keys;
    if (isSaid || key === undefined) return [];
    const difference = { what: "program", old: old.digest, new: digest };
    return [{ key, changes: [{ part: "policy", name: "", kind: "changed", says: [difference] }] }];
  });
  const changed = [...lists.changed, ...unspoken].toSorted((left, right) => byUnits(left.key, right.key));
  return { ...lists, changed, same: lists.same - unspoken.length };
}

function comparePolicies(old: PolicyOutline, is: PolicyOutline): PolicyChange | undefined {
  if (old.unit === is.unit) return undefined;
  const says = saysDifferences(old.says, is.says);
  const changes: readonly Change[] = [
    ...(says.length === 0 ? [] : [{ part: "policy", name: "", kind: "changed" as const, says }]),
    ...compareParts("constant", old.constants, is.constants),
    ...compareParts("variable", old.variables, is.variables),
    ...compareParts("derived role", old.derivedRoles, is.derivedRoles),
    ...compareParts("rule", old.rules, is.rules),
  ];
  return changes.length === 0 ? undefined : { key: is.key, ...placesOf(old, is), changes };
}

const placesOf = (old: { readonly at?: string } | undefined, is: { readonly at?: string } | undefined) => ({
  ...(old?.at !== undefined && { old: old.at }),
  ...(is?.at !== undefined && { new: is.at }),
});

/** Pairs equal parts first, then parts of the same name; the rest was added or removed. */
function compareParts(part: string, old: readonly Part[], is: readonly Part[]): readonly Change[] {
  const left = new Set(old);
  const taken = new Map<Part, Part>();
  const pair = (identity: (one: Part) => string | undefined): void => {
    const waiting = new Map<string, Part[]>();
    for (const one of left) {
      const name = identity(one);
      if (name !== undefined) waiting.set(name, [...(waiting.get(name) ?? []), one]);
    }
    for (const one of is) {
      const name = taken.has(one) ? undefined : identity(one);
      const other = name === undefined ? undefined : waiting.get(name)?.shift();
      if (other === undefined) continue;
      taken.set(one, other);
      left.delete(other);
    }
  };
  pair((one) => JSON.stringify([one.name, one.says]));
  // Unnamed rules are numbered, so a rule that is inserted before them changes their names: they are paired by content.
  pair((one) => (/(?:^|_)rule-\d{3,}$/.test(one.name) ? JSON.stringify(one.says) : undefined));
  pair(({ name }) => (name === "" ? undefined : name));
  const moved = isReordered(old, is, taken);
  return [
    ...is.flatMap((one): readonly Change[] => {
      const other = taken.get(one);
      const says = saysDifferences(other?.says ?? [], one.says);
      if (other !== undefined && says.length === 0) return [];
      return [{ part, name: one.name, kind: other === undefined ? "added" : "changed", ...placesOf(other, one), says }];
    }),
    ...[...left].map((one): Change => ({
      part,
      name: one.name,
      kind: "removed",
      ...placesOf(one, undefined),
      says: saysDifferences(one.says, []),
    })),
    ...(part === "rule" && moved
      ? [{ part, name: "", kind: "changed" as const, says: [{ what: "order", old: orderOf(old), new: orderOf(is) }] }]
      : []),
  ];
}

function isReordered(old: readonly Part[], is: readonly Part[], taken: ReadonlyMap<Part, Part>): boolean {
  const indexes = is.flatMap((one) => {
    const other = taken.get(one);
    return other === undefined ? [] : [old.indexOf(other)];
  });
  return indexes.some((index, at) => at > 0 && index < (indexes[at - 1] ?? 0));
}

const orderOf = (rules: readonly Part[]): string => rules.map(({ name }) => name || "(no name)").join(", ");

function saysDifferences(old: Says, is: Says): readonly ValueDifference[] {
  const [earlier, later] = [new Map(old), new Map(is)];
  return [...new Set([...later.keys(), ...earlier.keys()])].flatMap((what) => {
    const [before, now] = [earlier.get(what), later.get(what)];
    if (before === now) return [];
    return [{ what, ...(before !== undefined && { old: before }), ...(now !== undefined && { new: now }) }];
  });
}

interface SchemaText {
  readonly id: string;
  readonly text: string;
}

const compareSchemas = (old: SchemaText, is: SchemaText): SchemaChange | undefined =>
  old.text === is.text ? undefined : { id: is.id, differences: differencesOf(old.text, is.text) };
