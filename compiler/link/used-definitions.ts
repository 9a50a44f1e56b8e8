/** Determines the variables and constants that a policy's conditions need, in topological order. */
import type { Variable } from "../../runtime/decide/condition.ts";
import { didYouMean } from "../nearest.ts";
import type { ExpressionNode, VariableNode } from "../policy/document.ts";
import { focusOf } from "../policy/expression.ts";
import { findCycles } from "./cycles.ts";
import { referencesIn, type Linker } from "./linker.ts";
import type { Definitions } from "./policy-set.ts";
import type { SymbolTable } from "./symbol-table.ts";

/** Checks every variable, used or not: its type, its references, and that it does not depend on itself. */
export function checkVariables(symbols: SymbolTable, linker: Linker): void {
  if (symbols.variables.size === 0) return;
  const needs = new Map<string, readonly string[]>();
  for (const [name, { expression }] of symbols.variables) {
    reportUndefined(expression, symbols, linker, name);
    const references = linker.check(expression)?.references.variables;
    if (references === undefined || references.size === 0) continue;
    needs.set(
      name,
      [...references.keys()].filter((reference) => symbols.variables.has(reference)),
    );
  }
  if (needs.size === 0) return;
  for (const cycle of findCycles(needs))
    reportCycle(
      cycle.flatMap((name) => symbols.variables.get(name) ?? []),
      linker,
    );
}

/** Reports names that an expression uses and the policy does not define. */
export function reportUndefined(expression: ExpressionNode, symbols: SymbolTable, linker: Linker, within?: string): void {
  const references = referencesIn(expression, linker);
  if (references === undefined || (references.variables.size === 0 && references.constants.size === 0)) return;
  for (const [noun, used, defined] of [
    ["variable", references.variables, symbols.variables],
    ["constant", references.constants, symbols.constants],
  ] as const) {
    if (symbols.incomplete?.has(noun)) continue;
    for (const [name, range] of used)
      if (!defined.has(name) && symbols.unread?.[noun].has(name) !== true)
        linker.report({
          code: `undefined-${noun}`,
          severity: "error",
          span: expression.span,
          focus: focusOf(expression, range),
          path: expression.path,
          message: `no ${noun} named \`${name}\`${within === undefined ? "" : `, which the variable \`${within}\` needs`}`,
          hint: didYouMean(name, defined.keys()).hint ?? `define it under \`${noun}s.local\`, or import a set that does`,
        });
  }
}

function reportCycle(cycle: readonly VariableNode[], { report }: Linker): void {
  const [first, ...others] = cycle;
  if (first === undefined) return;
  const names = cycle.map(({ name }) => `\`${name.value}\``);
  report({
    code: "variable-cycle",
    severity: "error",
    span: first.expression.span,
    path: first.expression.path,
    message:
      others.length === 0
        ? `the variable ${names.join()} depends on itself`
        : `the variables ${names.join(", ")} depend on each other in a cycle`,
    hint: "remove one of these references",
    ...(others.length > 0 && {
      notes: others.map(({ name, expression }) => ({ span: expression.span, message: `\`${name.value}\` is part of the cycle` })),
    }),
  });
}

/** Returns what a list of expressions uses, directly or through variables. */
export function definitionsUsedBy(expressions: readonly ExpressionNode[], symbols: SymbolTable, linker: Linker): Definitions {
  if (symbols.variables.size === 0 && symbols.constants.size === 0) return nothing;
  const constants = new Set<string>();
  const variables = new Map<string, { readonly variable: Variable; readonly needs: ReadonlySet<string> }>();
  const pending = [...expressions];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const references = linker.check(next)?.references;
    for (const name of references?.constants.keys() ?? []) if (symbols.constants.has(name)) constants.add(name);
    for (const name of references?.variables.keys() ?? []) {
      const definition = symbols.variables.get(name);
      const checked = definition && linker.check(definition.expression);
      if (definition === undefined || checked === undefined || variables.has(name)) continue;
      variables.set(name, { variable: { name, expression: checked.compiled }, needs: new Set(checked.references.variables.keys()) });
      pending.push(definition.expression);
    }
  }
  return {
    variables: inDependencyOrder(variables),
    constants: [...constants].toSorted().flatMap((name) => {
      const constant = symbols.constants.get(name);
      return constant === undefined ? [] : [{ name, value: constant.value }];
    }),
  };
}

const nothing: Definitions = { variables: [], constants: [] };

/**
 * Topological order in layers: first the variables without dependencies, then those that depend only on these, and so
 * on; by name within a layer. Members of cycles (reported) are left out.
 */
function inDependencyOrder(
  variables: ReadonlyMap<string, { readonly variable: Variable; readonly needs: ReadonlySet<string> }>,
): readonly Variable[] {
  const [only] = variables.values();
  if (variables.size <= 1) return only === undefined || only.needs.has(only.variable.name) ? [] : [only.variable];
  const neededBy = new Map<string, string[]>();
  const missing = new Map<string, number>();
  for (const [name, { needs }] of variables) {
    const known = [...needs].filter((need) => variables.has(need));
    missing.set(name, known.length);
    for (const need of known)
      neededBy
        .set(need, neededBy.get(need) ?? [])
        .get(need)
        ?.push(name);
  }
  const ordered: string[] = [];
  let layer = [...variables.keys()].filter((name) => missing.get(name) === 0);
  while (layer.length > 0) {
    ordered.push(...layer.toSorted());
    layer = layer
      .flatMap((name) => neededBy.get(name) ?? [])
      .filter((name) => {
        const left = (missing.get(name) ?? 0) - 1;
        missing.set(name, left);
        return left === 0;
      });
  }
  return ordered.flatMap((name) => variables.get(name)?.variable ?? []);
}
