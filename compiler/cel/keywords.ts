/**
 * The keywords and reserved words of CEL, and hints for words that other languages use instead of CEL's operators,
 * values and functions.
 */

/** Keywords: never a variable, never a field unless in backquotes. */
export const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

/** Reserved words: allowed as a field or method, but not as a variable or function. */
export const reservedWords: ReadonlySet<string> = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);

/** Words that are reported and then parsed as the operator. */
export const logicWords: ReadonlyMap<string, "&&" | "||"> = new Map([
  ["and", "&&"],
  ["AND", "&&"],
  ["or", "||"],
  ["OR", "||"],
]);

/** Word found where an operator is expected -> hint. */
export const operatorHints: ReadonlyMap<string, string> = new Map([
  ["is", "`==` compares"],
  ["equals", "`==` compares"],
  ["eq", "`==` compares"],
  ["ne", "`!=` compares"],
  ["lt", "write `<`"],
  ["le", "write `<=`"],
  ["gt", "write `>`"],
  ["ge", "write `>=`"],
  ["mod", "write `%`"],
  ["div", "write `/`"],
  ["not", "write `!(a in b)`"],
  ["contains", "write `a.contains(b)` for strings, `b in a` for lists"],
  ["matches", "write `a.matches(pattern)`"],
  ["then", "write `condition ? a : b`"],
  ["else", "write `condition ? a : b`"],
  ["if", "write `condition ? a : b`"],
  ["for", "write `list.map(item, value)` or `list.filter(item, condition)`"],
  ["return", "leave it out: a condition is one expression"],
  ["like", "a pattern is tested with `text.matches(pattern)`, a beginning with `text.startsWith(part)`"],
  ["LIKE", "a pattern is tested with `text.matches(pattern)`, a beginning with `text.startsWith(part)`"],
  ["between", "write `low <= a && a <= high`"],
]);

/** Undeclared name -> hint about the value that was probably meant. */
export const valueHints: ReadonlyMap<string, string> = new Map([
  ["True", "write `true`"],
  ["TRUE", "write `true`"],
  ["False", "write `false`"],
  ["FALSE", "write `false`"],
  ["None", "write `null`"],
  ["nil", "write `null`"],
  ["NULL", "write `null`"],
  ["Null", "write `null`"],
  ["undefined", "test presence with `has(a.b)`"],
]);

const ofPrincipal = "write `P` or `request.principal`";

const ofAction = "a condition does not know the action: name it in `actions`, in a rule of its own";

/** Field of `request` that does not exist -> hint. */
export const requestFieldHints: ReadonlyMap<string, string> = new Map([
  ["action", ofAction],
  ["actions", ofAction],
]);

/**
 * Undeclared name -> hint about the part of the request that was probably meant. Only for policies: other
 * environments have no request.
 */
export const requestHints: ReadonlyMap<string, string> = new Map([
  ["principal", ofPrincipal],
  ["user", ofPrincipal],
  ["subject", ofPrincipal],
  ["actor", ofPrincipal],
  ["resource", "write `R` or `request.resource`"],
  ["object", "write `R` or `request.resource`"],
  ["auxData", "write `request.auxData`"],
  ["aux_data", "write `request.auxData`"],
  ["jwt", "write `request.auxData.jwt`"],
  ["claims", "write `request.auxData.jwt`"],
  ["attr", "write `R.attr` or `P.attr`"],
  ["roles", "write `P.roles`"],
  ["effectiveDerivedRoles", "write `runtime.effectiveDerivedRoles`"],
  ["derivedRoles", "write `runtime.effectiveDerivedRoles`"],
  ...requestFieldHints,
]);

/** Name of a function in other languages -> hint about the CEL equivalent. */
export const functionHints: ReadonlyMap<string, string> = new Map([
  ["length", "write `size(a)` or `a.size()`"],
  ["len", "write `size(a)` or `a.size()`"],
  ["count", "write `size(a)` or `a.size()`"],
  ["isEmpty", "write `a.size() == 0`"],
  ["includes", "write `b in a` for lists, `a.contains(b)` for strings"],
  ["some", "write `list.exists(item, condition)`"],
  ["any", "write `list.exists(item, condition)`"],
  ["every", "write `list.all(item, condition)`"],
  ["toLowerCase", "write `a.lowerAscii()`"],
  ["toLower", "write `a.lowerAscii()`"],
  ["lower", "write `a.lowerAscii()`"],
  ["toUpperCase", "write `a.upperAscii()`"],
  ["toUpper", "write `a.upperAscii()`"],
  ["upper", "write `a.upperAscii()`"],
  ["toString", "write `string(a)`"],
  ["parseInt", "write `int(a)`"],
  ["match", "write `text.matches(pattern)`"],
  ["test", "write `text.matches(pattern)`"],
  ["substr", "write `text.substring(from, end)`"],
  ["replaceAll", "write `text.replace(old, new)`, which replaces all"],
  ["toFixed", 'write `"%.2f".format([number])`'],
  ["containsKey", "write `key in map`"],
  ["hasOwnProperty", "write `key in map`"],
  ["max", "write `math.greatest(a, b)`"],
  ["min", "write `math.least(a, b)`"],
  ["typeof", "write `type(a)`"],
  ["date", "write `timestamp(a)`"],
]);
