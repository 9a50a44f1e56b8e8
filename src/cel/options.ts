/** Reads the options of `compile`: declarations, container, forms; throws a TypeError for what makes no sense. */
import { parse } from "../../compiler/cel/parse.ts";
import { allForms, forms, type FormName } from "../../compiler/emit/forms/index.ts";
import { nameOf, readType, type VariableType } from "./type-text.ts";

/** What is known before anything is evaluated. */
export interface Options {
  /**
   * The type of each variable, in CEL's words: `int`, `list(string)`, `map(string, dyn)`, `timestamp`. `json` is `dyn`
   * to the checker and promises that the value came from JSON, which is read without a copy and compared fastest.
   */
  readonly variables?: { readonly [name: string]: string };
  /** The namespace in which names are looked up first. */
  readonly container?: string;
  /** False where no text may become program, as under a content security policy: the interpreter answers, more slowly and the same. */
  readonly generate?: boolean;
  /** The fast forms of generated code; all unless said otherwise. None of them changes what an expression comes to. */
  readonly forms?: readonly FormName[];
}

/** Variables by name. */
export type Declarations = ReadonlyMap<string, VariableType>;

/** Reads the types of variables; throws a TypeError for what is no name or no type. */
export function readDeclarations({ variables = {} }: Options): Declarations {
  return new Map(
    Object.entries(variables).map(([name, text]) => {
      if (!isName(name)) throw new TypeError(`${JSON.stringify(name)} cannot be the name of a variable`);
      const type = typeof text === "string" ? readType(text) : undefined;
      if (type === undefined) {
        throw new TypeError(`variable ${name}: ${JSON.stringify(text)} is not a type; write one such as "int", "list(string)" or "json"`);
      }
      return [name, type];
    }),
  );
}

/** A name is what an expression can say: `user`, `request.auth`, but no reserved word; and nothing that an object has of itself. */
const isName = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_.]*$/.test(name) && name !== "__proto__" && nameOf(parse(name).tree) === name;

/** Reads which fast forms are on; throws a TypeError for one that there is not. */
export function readForms({ forms: chosen }: Options): ReadonlySet<FormName> {
  const unknown = chosen?.find((form) => !Object.hasOwn(forms, form));
  if (unknown !== undefined) throw new TypeError(`${JSON.stringify(unknown)} is not a form; there are ${Object.keys(forms).join(", ")}`);
  return chosen === undefined ? allForms : new Set(chosen);
}
