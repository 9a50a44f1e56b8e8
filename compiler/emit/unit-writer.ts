/** Collects the declarations of a unit while its parts are emitted: constants, functions, variables, questions. */
import type { Condition } from "../../runtime/decide/condition.ts";
import type { Question } from "../../runtime/decide/trees.ts";
import { type ActionTests, openActionTests } from "./actions.ts";
import { type Code, type Name, block, comment, constants, digits, emptyLine, js, list, newName, numberOf, quoted } from "./code.ts";
import { type FormName, allForms } from "./forms/index.ts";
import { emitAttributeReader } from "./forms/attribute-reader.ts";
import { type Factory, type PolicyDefinitions, type EmitContext, openFrame } from "./context.ts";

/** Receives what the parts of a unit emit. */
export interface UnitWriter {
  readonly factory: Factory;
  /** A factory that discards its declarations, to find out properties of an expression. */
  readonly discarding: Factory;
  /** Declarations at the head of the factory, then those of the policies, in order. */
  readonly head: readonly Code[];
  readonly body: readonly Code[];
  readonly questions: readonly Question[];
  /** Functions of derived role conditions already declared. */
  readonly derivedRoles: Map<Condition, DerivedRoleFunctions>;
  /** Appends statements to the body. */
  readonly write: (...statements: readonly Code[]) => void;
  /**
   * Declares a function of the query; returns a call that caches its value, shared by all policies with an equal
   * function unless `isUnmerged`.
   */
  readonly declareCached: (name: Name, compute: Code, words: () => string, isUnmerged: boolean) => Code;
  /** Functions that must not be merged with equal ones. */
  readonly unmerged: ReadonlySet<Name>;
  /** Starts the next policy; returns the index of its first question. */
  readonly beginPolicy: () => number;
  /**
   * Registers a question; returns its index relative to the policy's first, so that policies with the same rows have
   * the same text.
   */
  readonly ask: (question: Question) => Code;
  /** The tests of actions. */
  readonly actions: ActionTests;
  /** A scope for expressions of a policy. */
  readonly contextFor: (policy: PolicyDefinitions) => EmitContext;
}

/** The functions of a derived role's condition: while rules are matched, and while roles are listed if that may differ. */
export interface DerivedRoleFunctions {
  readonly matched: Name;
  readonly listed?: Name;
}

/** Creates a writer for one unit. */
export function openUnitWriter(forms: ReadonlySet<FormName> = allForms): UnitWriter {
  const head: Code[] = [];
  const body: Code[] = [];
  const questions: Question[] = [];
  let first = 0;
  const unmerged = new Set<Name>();
  const factory = openFactory(
    forms,
    (declaration) => head.push(declaration),
    (...statements) => body.push(...statements),
  );
  return {
    factory,
    discarding: openFactory(
      forms,
      () => 0,
      () => 0,
    ),
    head,
    body,
    questions,
    write: (...statements) => void body.push(...statements),
    unmerged,
    declareCached(name, compute, words, isUnmerged) {
      if (isUnmerged) unmerged.add(name);
      body.push(comment(words), js`const ${name} = ${compute};`);
      return js`q.variable(${numberOf(name)}, ${name})`;
    },
    beginPolicy: () => (first = questions.length),
    ask: (question) => js`first + ${digits(questions.push(question) - 1 - first)}`,
    actions: openActionTests(factory),
    derivedRoles: new Map(),
    contextFor: (policy) => ({ query: js`q`, locals: new Map(), reads: new Map(), frame: openFrame(), definitions: policy, factory }),
  };
}

/** The program of a unit: a factory with the declarations, ending with the given statements, one of which returns. */
export const factoryProgram = ({ head, body }: Pick<UnitWriter, "head" | "body">, ...end: readonly Code[]): Code =>
  block(js`(rt, k) => {`, [constants, ...head, ...body, emptyLine, ...end], js`}`);

function openFactory(
  forms: ReadonlySet<FormName>,
  declare: (declaration: Code) => number,
  write: (...statements: readonly Code[]) => number,
): Factory {
  const functions = new Map<string, Name>();
  const readers = new Map<string, Name>();
  const readings = new Map<string, Name>();
  const overloads = new Map<string, Name>();
  const hoist = (hint: string, value: Code): Name => {
    const name = newName(hint);
    declare(js`const ${name} = ${value};`);
    return name;
  };
  const once = (known: Map<string, Name>, key: string, make: () => Name): Name => {
    const name = known.get(key) ?? make();
    known.set(key, name);
    return name;
  };
  return {
    uses: (form) => forms.has(form),
    hoist,
    declare(hint, words, value) {
      const name = newName(hint);
      write(comment(words), js`const ${name} = ${value};`);
      return name;
    },
    reader: (field) => once(readers, field, () => hoist(`${field} of`, emitAttributeReader(field))),
    reading: (getter) => once(readings, getter, () => hoist(getter, js`rt.readingOf(${quoted(getter)})`)),
    overload: (id) => once(overloads, id, () => hoist(id.replaceAll("_", " "), js`rt.overload(${quoted(id)})`)),
    functionNamed: (name, receiver, arity, only) =>
      once(functions, JSON.stringify([name, receiver, arity, only]), () => {
        const form = [quoted(name), receiver ? js`true` : js`false`, digits(arity), ...(only === undefined ? [] : [quoted(only)])];
        return hoist(name, js`rt.functionNamed(${list(form)})`);
      }),
  };
}
