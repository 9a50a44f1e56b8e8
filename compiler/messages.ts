/**
 * All diagnostic codes: the title, what the reference implementation calls the mistake (D50), and what it means to an
 * author.
 */

/**
 * What the reference implementation calls the same mistake. `stage` is where it is found: while reading a file
 * (`load`), when the whole store is known (`index`), or while compiling one policy (`compile`). `none` means that
 * only this product reports it.
 */
export type Reference =
  | { readonly stage: "load"; readonly kind?: "KIND_PARSE_ERROR" | "KIND_VALIDATION_ERROR"; readonly id?: string }
  | { readonly stage: "index"; readonly kind: IndexKind; readonly id?: string }
  | { readonly stage: "compile"; readonly id: string }
  | { readonly stage: "none" };

type IndexKind = "duplicateDefs" | "missingImports" | "missingScopeDetails" | "scopePermissionsConflicts" | "disabledDefs";

/** The explanation of a code. */
export interface Explanation {
  readonly title: string;
  readonly reference: Reference;
  readonly meaning: string;
}

const parseError = { stage: "load", kind: "KIND_PARSE_ERROR" } as const;
const violation = { stage: "load", kind: "KIND_VALIDATION_ERROR" } as const;
const loadError = { stage: "load" } as const;
const compileError = <Id extends string>(id: Id) => ({ stage: "compile", id }) as const;
const ours = { stage: "none" } as const;

/** The codes, in the order of the stages that report them. */
// oxfmt-ignore
export const messages = {
  // The file is not YAML, or uses YAML that policies may not use.
  "yaml-syntax":            { title: "invalid YAML", reference: parseError, meaning: "the file is neither YAML nor JSON at this place" },
  "yaml-quoted-text":       { title: "text after a quoted string", reference: parseError, meaning: "a value that starts with a quote goes on after the closing quote, so the whole needs quotes or a block" },
  "yaml-duplicate-key":     { title: "duplicate key", reference: parseError, meaning: "one mapping has the same key twice" },
  "yaml-unknown-anchor":    { title: "unknown anchor", reference: parseError, meaning: "an alias (`*name`) has no anchor (`&name`) before it" },
  "yaml-duplicate-anchor":  { title: "duplicate anchor", reference: parseError, meaning: "an anchor (`&name`) is defined twice" },
  "yaml-merge":             { title: "invalid merge", reference: parseError, meaning: "a merge key (`<<`) has something else than one mapping" },
  "yaml-too-large":         { title: "document too large", reference: parseError, meaning: "a file is longer, deeper or more repetitive than any policy needs to be" },
  "invalid-document":       { title: "not a policy", reference: parseError, meaning: "a document is a list or a single value where a mapping must stand" },
  "multiple-documents":     { title: "more than one document", reference: loadError, meaning: "a file holds more than one policy" },

  // The fields are not those of a policy.
  "unknown-field":          { title: "unknown field", reference: parseError, meaning: "a mapping has a field that policies do not have there" },
  "duplicate-field":        { title: "duplicate field", reference: parseError, meaning: "a field is given in both of its spellings" },
  "wrong-type":             { title: "wrong type", reference: parseError, meaning: "a value is of another type than its field" },
  "unknown-value":          { title: "unknown value", reference: parseError, meaning: "a field that takes one of a few words has another one" },
  "conflicting-fields":     { title: "conflicting fields", reference: parseError, meaning: "two fields stand where only one of them may" },
  "missing-value":          { title: "missing value", reference: violation, meaning: "a required field is absent or empty" },
  "missing-choice":         { title: "missing choice", reference: violation, meaning: "none of several fields is given where one must be" },
  "invalid-value":          { title: "invalid value", reference: violation, meaning: "a value has characters or a form that its field does not allow" },
  "duplicate-item":         { title: "duplicate item", reference: violation, meaning: "a list has the same item twice" },

  // Rules about the parts of one policy.
  "duplicate-rule-name":    { title: "duplicate rule name", reference: loadError, meaning: "two rules of a policy have the same name" },
  "duplicate-derived-role": { title: "duplicate derived role", reference: loadError, meaning: "a set of derived roles defines one name twice" },
  "duplicate-resource":     { title: "duplicate resource", reference: loadError, meaning: "a principal policy has two rules for one resource" },
  "rule-without-roles":     { title: "rule without roles", reference: { stage: "load", id: "invalid resource rule" }, meaning: "a rule names neither roles nor derived roles, so it could never apply" },
  "misplaced-variables":    { title: "misplaced variables", reference: loadError, meaning: "an export policy has top-level variables, which only importing policies may have" },
  "script-condition":       { title: "script condition", reference: compileError("scripts in conditions are no longer supported"), meaning: "a condition is a script; conditions are CEL expressions" },
  "empty-output":           { title: "empty output", reference: compileError("empty output"), meaning: "a rule's output has no expression" },
  "missing-version":        { title: "missing version", reference: ours, meaning: "a role policy has no version, so it is taken for version `default`" },

  // The policies do not fit together.
  "duplicate-policy":       { title: "duplicate policy", reference: { stage: "index", kind: "duplicateDefs" }, meaning: "two files define the same policy" },
  "missing-ancestor":       { title: "missing ancestor", reference: { stage: "index", kind: "missingScopeDetails", id: "missing policy definition" }, meaning: "a policy has a scope, and there is no policy for one of the scopes above" },
  "conflicting-scope-permissions": { title: "conflicting scope permissions", reference: { stage: "index", kind: "scopePermissionsConflicts" }, meaning: "policies of one scope have different `scopePermissions`" },
  "disabled-policy":        { title: "disabled policy", reference: { stage: "index", kind: "disabledDefs" }, meaning: "a policy that another one needs is disabled, which is as if it were absent" },
  "misplaced-schemas":      { title: "misplaced schemas", reference: loadError, meaning: "a folder `_schemas` is somewhere else than at the root of the store" },
  "invalid-schema":         { title: "invalid schema", reference: compileError("invalid schema"), meaning: "a policy refers to a schema that does not exist or cannot be used" },
  "unknown-import":         { title: "unknown import", reference: { stage: "index", kind: "missingImports", id: "import not found" }, meaning: "a policy imports a set that no file defines" },
  "unknown-derived-role":   { title: "unknown derived role", reference: compileError("unknown derived role"), meaning: "a rule names a derived role that none of the policy's imports defines" },
  "ambiguous-derived-role": { title: "ambiguous derived role", reference: compileError("ambiguous derived role"), meaning: "a rule names a derived role that two imports define" },
  "redefined-constant":     { title: "redefined constant", reference: compileError("constant redefined"), meaning: "a policy gets a constant of one name from two places" },
  "redefined-variable":     { title: "redefined variable", reference: compileError("variable redefined"), meaning: "a policy gets a variable of one name from two places" },
  "invalid-constant-name":  { title: "invalid constant name", reference: compileError("invalid constant name"), meaning: "a constant's name cannot be written in an expression" },
  "invalid-variable-name":  { title: "invalid variable name", reference: compileError("invalid variable name"), meaning: "a variable's name cannot be written in an expression" },
  "undefined-constant":     { title: "undefined constant", reference: compileError("undefined constant"), meaning: "an expression uses a constant that the policy does not have" },
  "undefined-variable":     { title: "undefined variable", reference: compileError("undefined variable"), meaning: "an expression uses a variable that the policy does not have" },
  "variable-cycle":         { title: "variable cycle", reference: compileError("cyclical variable definitions"), meaning: "variables depend on each other in a cycle" },
  "invalid-expression":     { title: "invalid expression", reference: compileError("invalid expression"), meaning: "an expression is not CEL, or its types do not fit" },

  // Mistakes in test suites.
  "unknown-fixture":        { title: "unknown fixture", reference: ours, meaning: "a test, or a group of fixtures, names a fixture that there is not" },
  "unasked-expectation":    { title: "unasked expectation", reference: ours, meaning: "a test expects something of a principal, a resource or an action that its input does not have" },
  "conflicting-expectations": { title: "conflicting expectations", reference: ours, meaning: "two entries of a test expect different things of the same action" },
  "duplicate-test-name":    { title: "duplicate test name", reference: ours, meaning: "two tests of a suite have the same name" },

  // Warnings: the policy is valid, but may not mean what its author intends.
  "ambiguous-value":        { title: "ambiguous value", reference: ours, meaning: "a value without quotes, in a test or a fixture, is one thing here and another to other readers of YAML" },
  "ambiguous-rule-name":    { title: "ambiguous rule name", reference: ours, meaning: "a rule's name is also the name that another rule gets for having none" },
  "literal-pattern":        { title: "literal pattern", reference: ours, meaning: "an action looks like a pattern but has no `*`, so it is matched literally" },
  "dead-rule":              { title: "dead rule", reference: ours, meaning: "a rule's condition never holds, or another rule denies all that it allows" },
  "dead-derived-role":      { title: "dead derived role", reference: ours, meaning: "a derived role's condition never holds, so nobody ever has it" },
  "consent-without-parent": { title: "consent without parent", reference: ours, meaning: "a policy at the root scope requires the consent of parents, and there are none" },
  "never-boolean":          { title: "never boolean", reference: ours, meaning: "a condition's expression is of another type than bool, so it never holds" },
  "failing-operation":      { title: "failing operation", reference: ours, meaning: "an operation or function is given an attribute, a claim or a constant of a type that these never are" },
  "constant-comparison":    { title: "constant comparison", reference: ours, meaning: "an attribute, a claim or a constant is compared with what it never is" },
  "literal-placeholder":    { title: "literal placeholder", reference: ours, meaning: "a string holds `${...}` with the path of an attribute or variable, and nothing is inserted into strings" },
  "unused-variable":        { title: "unused variable", reference: ours, meaning: "a policy defines a variable that none of its expressions names" },
  "unused-constant":        { title: "unused constant", reference: ours, meaning: "a policy defines a constant that none of its expressions names" },
  "unused-import":          { title: "unused import", reference: ours, meaning: "a policy imports a set and uses nothing of it" },
} as const satisfies { readonly [code: string]: Explanation };

/** A diagnostic code. */
export type Code = keyof typeof messages;

/** Returns the reference implementation's error kind or error id for a code; "" if it has none. */
export function referenceKind(code: Code): string {
  const reference: Reference = messages[code].reference;
  switch (reference.stage) {
    case "load":
      return reference.kind ?? reference.id ?? "";
    case "index":
      return reference.id ?? reference.kind;
    case "compile":
      return reference.id;
    case "none":
      return "";
  }
}
