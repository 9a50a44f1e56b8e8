/** Admits the declarations of a program, one `const` after another, and the object it returns. */
import { answer } from "./arrow.ts";
import { noUsedQuestions, notePolicy, openUsedQuestions } from "./question-use.ts";
import { loop } from "./loop.ts";
import type { Declared } from "./kinds.ts";
import { openRoleDependence } from "./role-dependence.ts";
import { declare, inScope, takeNew, useAs } from "./names.ts";
import {
  constantAmong,
  type ConstantUse,
  type Program,
  startsWith,
  take,
  takeConstant,
  takeDigits,
  takeIf,
  takeList,
  takeOne,
  takeString,
  unexpected,
} from "./program.ts";
import { reader } from "./reader.ts";
import { refuse } from "./refusal.ts";
import { rows } from "./rows.ts";
import { asked } from "./tests.ts";
import { next } from "./token.ts";
import { value } from "./value.ts";
import { type Cost, measure } from "./cost.ts";

/** Admits a whole program: `(rt, k) => { ... }`. */
export function factory(program: Program): void {
  const { reading } = program;
  take(program, "(rt, k) => {");
  if (startsWith(program, "const [")) constants(program);
  while (takeIf(program, "const")) {
    const number = takeNew(program);
    take(program, "=");
    const declared = declaration(program);
    take(program, ";");
    declare(program, number, declared);
  }
  takeList(program, "return { scopes: [", part, "] };\n}");
  if (reading.kind !== "end") unexpected(program, "the end of the program");
  if (program.used < program.constants) refuse(reading.text, reading.start, `\`k${program.used}\`, which is declared and nowhere used`);
}

/** `const [k0, k1] = k;` */
function constants(program: Program): void {
  const { reading } = program;
  take(program, "const [");
  do {
    if (reading.kind !== "constant" || reading.number !== program.constants) unexpected(program, `\`k${program.constants}\``);
    program.constants++;
    next(reading);
  } while (takeIf(program, ","));
  take(program, "] = k;");
}

/** `[k0, { derivedRoles: n1, decide: n2, first: 3 }]` */
function part(program: Program): void {
  take(program, "[");
  takeConstant(program, "text");
  take(program, ", { derivedRoles:");
  const active = takeIf(program, "rt.noRoles") ? undefined : useAs(program, "active");
  take(program, ", decide:");
  const decide = useAs(program, "decide");
  program.costs.policies.push(Math.max(active?.cost.characters ?? 0, decide.cost.characters));
  take(program, ", first:");
  notePolicy(program, takeDigits(program), active?.usedQuestions ?? noUsedQuestions, decide.usedQuestions);
  take(program, "}]");
}

/** Admits the value of a declaration; its first words determine the form. */
function declaration(program: Program): Declared {
  const { text, start } = program.reading;
  for (const [words, form] of forms)
    if (words.charCodeAt(0) === text.charCodeAt(start) && text.startsWith(words, start)) return form(program);
  return { kind: "value", constant: constantAmong(program, value) };
}

const forms: readonly (readonly [words: string, form: (program: Program) => Declared])[] = [
  ["(of) =>", (program) => (reader(program), { kind: "reader" })],
  ["(q, action,", (program) => ofPolicy(program, "decide", rows)],
  ["(q, first) =>", (program) => ofPolicy(program, "active", (of) => measure(of, activeRoles))],
  ["(q, ", (program) => ofQuery(program, () => loopOfQuery(program))],
  [
    "(q) =>",
    (program) => ofQuery(program, () => ({ kind: "query", cost: measure(program, ofQueryAlone), roleDependence: program.roleDependence })),
  ],
  ["new Set(", (program) => (ofConstant(program, "new Set(", "few numbers"), { kind: "set" })],
  ["rt.listed(", (program) => (ofConstant(program, "rt.listed(", "scalars"), { kind: "set" })],
  ["new Map(", (program) => (ofConstant(program, "new Map(", "numbers by text"), { kind: "map" })],
  ["rt.glob(", (program) => (ofConstant(program, "rt.glob(", "text"), { kind: "glob" })],
  ["rt.typeNamed(", (program) => (ofText(program, "rt.typeNamed("), { kind: "value" })],
  ["rt.overload(", (program) => (ofText(program, "rt.overload("), { kind: "overload" })],
  ["rt.readingOf(", (program) => (ofText(program, "rt.readingOf("), { kind: "reading" })],
  ["rt.functionNamed(", functionNamed],
];

function loopOfQuery(program: Program): Declared {
  let parameters: Declared["parameters"] = [];
  const cost = measure(program, () => {
    parameters = loop(program);
  });
  return { kind: "loop", parameters, cost, roleDependence: program.roleDependence };
}

/** `(q) => a` */
function ofQueryAlone(program: Program): void {
  take(program, "(q) =>");
  answer(program);
}

/** A function of the query, with a scope of its own. */
function ofQuery(program: Program, read: () => Declared): Declared {
  program.hasQuery = true;
  program.roleDependence = openRoleDependence();
  const declared = inScope(program, "function", read);
  program.hasQuery = false;
  return declared;
}

/** A function of a policy: receives the query and the number of the policy's first question. */
function ofPolicy(program: Program, kind: "active" | "decide", read: (program: Program) => Cost): Declared {
  const usedQuestions = openUsedQuestions();
  program.usedQuestions = usedQuestions;
  return ofQuery(program, () => ({ kind, cost: read(program), usedQuestions }));
}

/** `rt.glob(k1)` */
function ofConstant(program: Program, call: string, use: ConstantUse): void {
  take(program, call);
  takeConstant(program, use);
  take(program, ")");
}

/** `rt.overload("string_to_timestamp")` */
function ofText(program: Program, call: string): void {
  take(program, call);
  takeString(program);
  take(program, ")");
}

/**
 * `rt.functionNamed("size", false, 1)`: name, whether it is a method, number of arguments, and optionally its only
 * overload.
 */
function functionNamed(program: Program): Declared {
  take(program, "rt.functionNamed(");
  takeString(program);
  take(program, ",");
  takeOne(program, ["true", "false"]);
  take(program, ",");
  const arity = takeDigits(program);
  if (takeIf(program, ",")) takeString(program);
  take(program, ")");
  return { kind: "function", arity };
}

/** `(q, first) => rt.rolesAmong([q.hasRole(k1) && q.holds(first + 0, n1) && k2, ...])` */
function activeRoles(program: Program): void {
  take(program, "(q, first) => rt.rolesAmong([");
  while (!takeIf(program, "])")) {
    if (takeIf(program, "q.hasRole(")) {
      takeConstant(program, "texts");
      take(program, ") &&");
    }
    if (takeIf(program, "q.holds(")) {
      asked(program);
      take(program, ") &&");
    }
    takeConstant(program, "text");
    take(program, ",");
  }
}
