/** Reads the options of `compile`: variable declarations, container, forms; throws a TypeError for invalid ones. */
import { parse } from "../../compiler/cel/parse.ts";
import { allForms, forms, type FormName } from "../../compiler/emit/forms/index.ts";
import { nameOf, readType, type VariableType } from "./type-text.ts";

/** The options of `compile`. */
export interface Options {
  /**
   * The type of each variable, in CEL's notation: `int`, `list(string)`, `map(string, dyn)`, `timestamp`. `json` is `dyn` to the
   * checker, and promises that the value came from JSON: it is then not copied, and compared fastest.
   */
  readonly variables?: { readonly [name: string]: string };
  /** The namespace in which names are looked up first. */
  readonly container?: string;
  /**
   * Set to false where code must not be generated at run time, as under a content security policy: expressions are then interpreted,
   * which is slower and gives the same results.
   */
  readonly generate?: boolean;
  /** The optimised forms of generated code; by default all. None of them changes a result. */
  readonly forms?: readonly FormName[];
}

/** Variables by name. */
export type Declarations = ReadonlyMap<string, VariableType>;

/** Reads the types of variables; throws a TypeError for an invalid name or type. */
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

/**
 * Returns whether an expression can refer to a name: `user`, `request.auth`, but no reserved word, and no property that every object
 * has.
 */
const isName = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_.]*$/.test(name) && name !== "__proto__" && nameOf(parse(name).tree) === name;

/** Reads which optimised forms are on; throws a TypeError for an unknown one. */
export function readForms({ forms: chosen }: Options): ReadonlySet<FormName> {
  const unknown = chosen?.find((form) => !Object.hasOwn(forms, form));
  if (unknown !== undefined) throw new TypeError(`${JSON.stringify(unknown)} is not a form; there are ${Object.keys(forms).join(", ")}`);
  return chosen === undefined ? allForms : new Set(chosen);
}
