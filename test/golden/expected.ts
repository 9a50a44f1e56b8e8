/** Compares what was decided, in process or over the wire, with what a golden case wants. */
import { expect } from "vitest";
import type { Decision } from "../../runtime/decide/decision.ts";
import type { Result } from "../server/harness.ts";
import type { Expected } from "./cases.ts";

/** What both the wire and a decision tell. */
interface Told {
  readonly actions: {
    readonly [action: string]: { readonly effect: string; readonly matchedPolicy?: string; readonly matchedScope: string };
  };
  readonly effectiveDerivedRoles: readonly string[];
  readonly outputs: readonly object[];
  readonly validationErrors: readonly { readonly path?: string; readonly source: string }[];
}

/** Compares a decision. */
export function expectDecision(actual: Decision | undefined, wanted: Expected): void {
  if (actual === undefined) throw new Error("no decision");
  expectTold({ ...actual, actions: Object.fromEntries(actual.actions) }, wanted);
  if (wanted.evaluationErrors !== undefined) {
    expect(actual.evaluationErrors).toEqual(
      wanted.evaluationErrors.map(({ expression, kind }) => expect.objectContaining({ expression, message: beginningWith(kind) })),
    );
  }
  const { effectivePolicies } = wanted;
  if (effectivePolicies === undefined) return;
  if (Array.isArray(effectivePolicies)) expect([...actual.effectivePolicies.keys()].toSorted()).toEqual(effectivePolicies.toSorted());
  else expect(Object.fromEntries(actual.effectivePolicies)).toEqual(effectivePolicies);
}

/** Compares an entry of `results`. */
export function expectResult(result: Result, wanted: Expected): void {
  const { actions, meta, outputs = [], validationErrors = [] } = result;
  const entries = Object.entries(actions).map(([action, effect]): readonly [string, Told["actions"][string]] => [
    action,
    { effect, matchedScope: "", ...meta.actions[action] },
  ]);
  const effectiveDerivedRoles = meta.effectiveDerivedRoles ?? [];
  expectTold({ actions: Object.fromEntries(entries), effectiveDerivedRoles, outputs, validationErrors }, wanted);
}

function expectTold(told: Told, wanted: Expected): void {
  for (const [action, want] of Object.entries(wanted.actions)) {
    expect(Object.hasOwn(told.actions, action)).toBe(true);
    const what = typeof want === "string" ? { effect: want } : want;
    expect([action, told.actions[action]]).toEqual([action, expect.objectContaining(what)]);
  }
  if (wanted.effectiveDerivedRoles !== undefined) expect(told.effectiveDerivedRoles).toEqual(wanted.effectiveDerivedRoles);
  if (wanted.outputsInOrder !== undefined) expect(told.outputs).toEqual(wanted.outputsInOrder.map(outputLike));
  if (wanted.outputs !== undefined) {
    const bySource = sorted(told.outputs);
    expect(bySource).toEqual(sorted(wanted.outputs).map(outputLike));
  }
  if (wanted.validationErrors !== undefined) {
    const places = told.validationErrors.map(({ path = "", source }) => ({ path, source }));
    expect(sorted(places)).toEqual(sorted(wanted.validationErrors));
  }
}

const outputLike = (output: NonNullable<Expected["outputs"]>[number]): object =>
  output.error === undefined ? output : { ...output, error: beginningWith(output.error) };

const beginningWith = (text: string): unknown => expect.stringMatching(new RegExp(`^${text}`));

/** By text: what is compared without order may have any. An error's sentence is free, so it does not count. */
const sorted = <T extends object>(items: readonly T[]): readonly T[] =>
  items
    .map((item) => ({ item, key: JSON.stringify({ ...item, error: undefined }, fieldOrder) }))
    .toSorted((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
    .map(({ item }) => item);

function fieldOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
