/** The parts that rules of all types share, and rules about them: unique names, at least one role. */
import type { Report } from "../diagnostic.ts";
import type { Code } from "../messages.ts";
import { positionAt, type Span } from "../source.ts";
import { headOf } from "../yaml/node.ts";
import type { ListValue } from "../yaml/collection.ts";
import type { Place, Placed, Read } from "../yaml/shape.ts";
import { readCondition, type conditionShape } from "./condition.ts";
import type { ConditionNode, Effect, Located, OutputNode } from "./document.ts";
import { located } from "./located.ts";
import { readOutput, type outputShape } from "./output.ts";
import { oneOf } from "../yaml/scalar.ts";
import { effects } from "./enumerations.ts";

interface Named {
  readonly name: Placed<string> | undefined;
  readonly place: Place;
}

/** What a part of a policy is called in messages, and the diagnostic if two have the same name. */
export interface NameRule {
  readonly noun: string;
  readonly code: Code;
  readonly hint: string;
}

/** Reports duplicate names among parts of a policy. */
export function checkNames(parts: readonly Named[], { noun, code, hint }: NameRule, report: Report): void {
  if (parts.length < 2) return;
  const first = new Map<string, { readonly part: Named; readonly number: number }>();
  for (const [index, part] of parts.entries()) {
    if (part.name === undefined || part.name.value === "") continue;
    const earlier = first.get(part.name.value);
    if (earlier === undefined) {
      first.set(part.name.value, { part, number: index + 1 });
      continue;
    }
    const { at } = earlier.part.place;
    const { line, column } = positionAt(at.source, at.start);
    report({
      code,
      severity: "error",
      span: part.place.at,
      focus: part.name.place.node.span,
      path: part.place.path,
      message: `${noun} #${index + 1} has the same name \`${part.name.value}\` as ${noun} #${earlier.number} at ${line}:${column}`,
      hint,
      notes: [{ span: earlier.part.name?.place.node.span ?? at, message: "first given here" }],
    });
  }
}

const uniqueRuleNames: NameRule = { noun: "rule", code: "duplicate-rule-name", hint: "give one of them another name" };

interface Rule {
  readonly fields: { readonly name?: Placed<string>; readonly roles?: ListValue<unknown>; readonly derivedRoles?: ListValue<unknown> };
  readonly place: Place;
}

/** Reports rules without roles, and duplicate names. */
export function checkRules(rules: readonly Rule[], report: Report): void {
  checkNames(
    rules.map(({ fields, place }) => ({ name: fields.name, place })),
    uniqueRuleNames,
    report,
  );
  for (const [index, { fields, place }] of rules.entries()) {
    if ((fields.roles?.items.length ?? 0) > 0 || (fields.derivedRoles?.items.length ?? 0) > 0) continue;
    const name = fields.name === undefined || fields.name.value === "" ? `rule #${index + 1}` : `rule \`${fields.name.value}\``;
    report({
      code: "rule-without-roles",
      severity: "error",
      span: place.at,
      focus: headOf(place.node),
      path: place.path,
      message: `${name} names neither roles nor derived roles`,
      hint: 'add `roles: [...]`; `"*"` means any role',
    });
  }
}

interface RuleParts {
  readonly span: Span;
  readonly path: string;
  readonly name?: Located<string>;
  readonly condition?: ConditionNode;
  readonly output?: OutputNode;
}

/**
 * Reads the parts that every rule may have. Callers copy them field by field: object spread would cost as much as the
 * reading.
 */
export function readRuleParts(
  {
    fields: { name, condition, output },
    place,
  }: {
    readonly fields: {
      readonly name?: Placed<string>;
      readonly condition?: Read<typeof conditionShape>;
      readonly output?: Read<typeof outputShape>;
    };
    readonly place: Place;
  },
  report: Report,
): RuleParts {
  const readWhen = condition && readCondition(condition, report);
  const readSays = output && readOutput(output, report);
  return {
    span: place.node.span,
    path: place.path,
    ...(name !== undefined && name.value !== "" && { name: located(name) }),
    ...(readWhen && { condition: readWhen }),
    ...(readSays && { output: readSays }),
  };
}

/** The shape of `effect`. */
export const effectShape = oneOf(effects, ["EFFECT_NO_MATCH"]);

/** Reads an effect. A missing one is already reported, and must not count as allow. */
export const readEffect = (effect: Placed<(typeof effects)[number]> | undefined): Effect =>
  effect?.value === "EFFECT_ALLOW" ? "allow" : "deny";
