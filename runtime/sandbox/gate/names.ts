/** The names of a program: declaration, scope and use. No name is used before it is declared. */
import { noUsedQuestions } from "./question-use.ts";
import { type Declared, type Kind, kinds, type Name, type Names, type Scope } from "./kinds.ts";
import { noRoleDependence } from "./role-dependence.ts";
import { type Program, unexpected } from "./program.ts";
import { refuse } from "./refusal.ts";
import { next } from "./token.ts";
import { noCost } from "./cost.ts";

/** Returns an empty table of names. */
export const openNames = (): Names => ({ known: [], written: [], read: [], scopes: [] });

/** Admits a function or a block, whose declarations end with it. */
export function inScope<T>(program: Program, of: "function" | "block", read: (program: Program) => T): T {
  const { scopes, known } = program.names;
  const around = scopes.at(-1);
  const scope: Scope = {
    start: program.reading.start,
    ofFunction: of === "block" ? (around?.ofFunction ?? around) : undefined,
    hidden: [],
  };
  scopes.push(scope);
  const answer = read(program);
  scopes.pop();
  for (const [number, name] of scope.hidden) known[number] = name;
  return answer;
}

/** Consumes a name to be declared; returns its number. Names are numbered in the order of their first occurrence. */
export function takeNew(program: Program): number {
  const { reading, names } = program;
  if (reading.kind !== "name") unexpected(program, "a name");
  const { number, start, text } = reading;
  const { length } = names.known;
  if (number > length) refuse(text, start, `the name \`n${number}\` before \`n${length}\``);
  if (number === length) names.known.push(undefined);
  names.written[number] = start;
  next(reading);
  return number;
}

/** Declares a name in the current scope. */
export function declare(
  { reading: { text }, names }: Program,
  number: number,
  {
    kind,
    arity = 0,
    parameters = [],
    constant,
    cost = noCost,
    usedQuestions = noUsedQuestions,
    roleDependence = noRoleDependence,
  }: Declared,
): Name {
  const scope = names.scopes.at(-1) ?? outermost;
  const hidden = names.known[number];
  const start = names.written[number] ?? 0;
  if (hidden?.scope === scope) refuse(text, start, `\`n${number}\`, declared twice`);
  // JavaScript hoists the declaration, so a use before it in the same scope would refer to this name.
  if ((names.read[number] ?? -1) >= scope.start) refuse(text, start, `\`n${number}\`, declared after its use`);
  const name: Name = { kind, scope, arity, parameters, constant, cost, usedQuestions, roleDependence, variable: undefined };
  scope.hidden.push([number, hidden]);
  names.known[number] = name;
  return name;
}

const outermost: Scope = { start: 0, ofFunction: undefined, hidden: [] };

/** Consumes a name and declares it. */
export const declareNext = (program: Program, kind: Kind): Name => declare(program, takeNew(program), { kind });

/** Consumes a declared name. */
export function use(program: Program): Name {
  const { reading, names } = program;
  if (reading.kind !== "name") unexpected(program, "a name");
  const { number, start, text } = reading;
  const name = names.known[number];
  if (name === undefined) return refuse(text, start, `\`n${number}\`, which is not declared before`);
  names.read[number] = start;
  next(reading);
  return name;
}

/** Consumes a declared name of one kind. */
export function useAs(program: Program, kind: Kind): Name {
  const { text, start, number } = program.reading;
  const name = use(program);
  if (name.kind !== kind) refuse(text, start, `\`n${number}\` as if it were ${kinds[kind]}`);
  return name;
}

/** The kind of the next token, if it is a declared name. */
export const kindAhead = ({ reading, names }: Program): Kind | undefined =>
  reading.kind === "name" ? names.known[reading.number]?.kind : undefined;

/** Whether a temporary belongs to the function being read. */
export function isOwn({ names: { scopes } }: Program, { scope }: Name): boolean {
  const here = scopes.at(-1);
  return scope === (here?.ofFunction ?? here);
}
