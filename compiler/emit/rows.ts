/** Emits the rows of one policy: a function that answers what they say about one action and one role. */
import type { Condition } from "../../runtime/decide/condition.ts";
import { matches } from "../../runtime/decide/glob.ts";
import { printLine } from "../source.ts";
import { printCondition } from "../table/print.ts";
import type { Match, Row, ScopeTable } from "../table/table.ts";
import { type Code, type Name, block, comment, digits, emptyLine, js, lines, newName } from "./code.ts";
import { conditionHolds, expressionsOf, withSharedReads } from "./condition.ts";
import type { EmittedDerivedRoles } from "./derived-roles.ts";
import { joined } from "./logic.ts";
import { emitNames } from "./policy-scope.ts";
import { mentions } from "./references.ts";
import { arrow, openFrame } from "./scope.ts";
import type { UnitWriter } from "./unit-writer.ts";
import { rowWords } from "./words.ts";

/** Emits conditions and rows; answers the function's name. */
export function emitRows(table: ScopeTable, policy: number, derivedRoles: EmittedDerivedRoles, unit: UnitWriter): Name {
  const trees = table.rows.flatMap((row) => Array.from(expressionsOf(row.condition), (leaf) => leaf.expression.tree));
  const names = emitNames(table, trees, "unset", unit, () => printLine(table.span));
  // Where a variable can fail, its error counts once a row is considered, even one without condition (semantics 5.2).
  // `runtime` can fail too, under strict evaluation.
  const canFail = !names.total || table.variables.some(({ expression }) => mentions(expression.tree, "runtime"));
  const considered = !canFail ? undefined : js`q.consider(${digits(unit.ask({ kind: "policy", policy }))});`;

  // One condition may belong to several rows (`optimize/share-conditions.ts`).
  const asked = new Map<Condition, Code>();
  const conditions = table.rows.map((row) => {
    const { condition } = row;
    if (condition === undefined) return undefined;
    const known = asked.get(condition);
    if (known !== undefined) return known;
    const name = newName(row.rule);
    const frame = openFrame();
    const holds = conditionHolds(condition, withSharedReads(condition, { ...unit.scopeFor(names.scope), frame }));
    const words = (): string => `${printLine(row.span)} ${row.rule}: ${printCondition(condition)}`;
    unit.write(comment(words), js`const ${name} = ${arrow([js`q`], frame, holds)};`);
    const call = js`q.holds(${digits(unit.ask({ kind: "rule", policy, condition }))}, ${name})`;
    asked.set(condition, call);
    return call;
  });

  const rules = table.rows.map((row, at): Rule => ({
    row,
    words: () => rowWords(row, table.derivedRoles),
    statements: (asked, isLast) => rowStatements(row, conditions[at], asked, isLast, { table, derivedRoles, considered, unit }),
  }));
  const decide = newName(table.scope === "" ? "root" : table.scope);
  unit.write(emptyLine, block(js`const ${decide} = (q, action, role) => {`, [js`let effect = rt.NONE;`, ...dispatch(rules, unit)], js`};`));
  return decide;
}

/** A row, and how it is emitted: the last row of a way through may answer at once. */
interface Rule {
  readonly row: Row;
  readonly words: () => string;
  readonly statements: (asked: Code | undefined, isLast: boolean) => { readonly code: readonly Code[]; readonly decides: boolean };
}

/** Rows in source order for each action that is named; then those that only patterns find. */
function dispatch(rules: readonly Rule[], unit: UnitWriter): readonly Code[] {
  const named = new Set(rules.flatMap(({ row }) => row.actions.flatMap((match) => (match.kind === "exact" ? [match.value] : []))));
  const ways = new Map<string, { readonly actions: string[]; readonly rules: readonly Rule[] }>();
  let size = 0;
  for (const action of named) {
    const found = rules.filter(({ row }) => row.actions.some((match) => matches(match, action)));
    const key = found.map((rule) => rules.indexOf(rule)).join(",");
    const way = ways.get(key);
    if (way !== undefined) way.actions.push(action);
    else {
      ways.set(key, { actions: [action], rules: found });
      size += found.length;
    }
  }
  // What patterns repeat under every action must not outgrow the policy.
  if (size > rules.length * 4 + 200) return [...way(rules, (rule) => actionTest(rule, unit, false)), js`return effect;`];
  const rest = rules.filter(({ row }) => row.actions.some((match) => match.kind !== "exact"));
  const cases = Array.from(ways.values(), ({ actions, rules: found }) =>
    lines(
      ...actions.slice(0, -1).map((action) => js`case ${action}:`),
      block(js`case ${actions.at(-1) ?? ""}: {`, [...way(found, () => undefined), js`return effect;`], js`}`),
    ),
  );
  const otherwise = [...way(rest, (rule) => actionTest(rule, unit, true)), js`return effect;`];
  return cases.length === 0 ? otherwise : [block(js`switch (action) {`, cases, js`}`), ...otherwise];
}

const actionTest = ({ row }: Rule, unit: UnitWriter, onlyPatterns: boolean): Code | undefined =>
  unit.test("action", onlyPatterns ? row.actions.filter((match) => match.kind !== "exact") : row.actions);

function way(rules: readonly Rule[], test: (rule: Rule) => Code | undefined): readonly Code[] {
  const out: Code[] = [];
  for (const [at, rule] of rules.entries()) {
    const { code, decides } = rule.statements(test(rule), at === rules.length - 1);
    out.push(comment(rule.words), ...code);
    if (decides) break;
  }
  return out;
}

/** What the rows of one policy share. */
interface Shared {
  readonly table: ScopeTable;
  readonly derivedRoles: EmittedDerivedRoles;
  readonly considered: Code | undefined;
  readonly unit: UnitWriter;
}

/**
 * The statements of one row. ALLOW goes on, because a later DENY wins and later conditions count as evaluated; a row
 * that holds through a derived role is a row of its own, after the one for its own roles.
 */
function rowStatements(
  row: Row,
  condition: Code | undefined,
  asked: Code | undefined,
  isLast: boolean,
  { table, derivedRoles, considered, unit }: Shared,
): { readonly code: readonly Code[]; readonly decides: boolean } {
  const action = asked === undefined ? [] : [asked];
  const conditions = condition === undefined ? [] : [condition];
  const ways: ((answer: Code) => { readonly tests: readonly Code[]; readonly body: readonly Code[] })[] = [];
  if (row.roles.length > 0) {
    const role = roleTest(row.roles, unit);
    const mark = considered !== undefined && condition === undefined ? [considered] : [];
    ways.push((answer) => ({ tests: [...role, ...action, ...conditions], body: [...mark, answer] }));
  }
  for (const at of row.derivedRoles) {
    const parent = [...roleTest(table.derivedRoles[at]?.parents ?? [], unit), ...action];
    const holds = derivedRoles.holds(at);
    const tests = [...(holds === undefined ? [] : [holds]), ...conditions];
    ways.push((answer) =>
      considered === undefined
        ? { tests: [...parent, ...tests], body: [answer] }
        : { tests: parent, body: [considered, ...statement(tests, [answer])] },
    );
  }
  const emitted = ways.map((make, turn) => {
    const returns = isLast && turn === ways.length - 1;
    return make(row.effect === "deny" ? js`return rt.DENY;` : returns ? js`return rt.ALLOW;` : js`effect = rt.ALLOW;`);
  });
  return {
    code: emitted.flatMap(({ tests, body }) => statement(tests, body)),
    decides: row.effect === "deny" && emitted.some(({ tests }) => tests.length === 0) && considered === undefined,
  };
}

function roleTest(roles: readonly Match[], unit: UnitWriter): readonly Code[] {
  const test = unit.test("role", roles);
  return test === undefined ? [] : [test];
}

function statement(tests: readonly Code[], body: readonly Code[]): readonly Code[] {
  const [only] = body;
  if (tests.length === 0) return body;
  const test = joined("&&", tests);
  return body.length === 1 && only !== undefined && only.kind !== "block"
    ? [js`if (${test}) ${only}`]
    : [block(js`if (${test}) {`, body, js`}`)];
}
