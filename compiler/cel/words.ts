/** The keywords and reserved words of CEL, and what authors used to other languages write in place of its operators. */

/** Words that are tokens of their own: never a name, never a field unless backquoted. */
export const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

/** Words that may be a field or a method, but neither a variable nor a function. */
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

/** Words that stand for an operator that exists: they are reported and read as that operator. */
export const logicWords: ReadonlyMap<string, "&&" | "||"> = new Map([
  ["and", "&&"],
  ["AND", "&&"],
  ["or", "||"],
  ["OR", "||"],
]);

/** Words found where an operator must stand, and what to write. */
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
]);

/** Names that are not declared, and the value that was meant. */
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

/** Fields that authors expect of a request. */
export const requestFieldHints: ReadonlyMap<string, string> = new Map([
  ["action", ofAction],
  ["actions", ofAction],
]);

/** What authors call the parts of a request, and their names in policies; elsewhere there are no such parts. */
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
  ...requestFieldHints,
]);

/** Names of functions in other languages, and what does the same here. */
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
  ["max", "write `math.greatest(a, b)`"],
  ["min", "write `math.least(a, b)`"],
  ["typeof", "write `type(a)`"],
  ["date", "write `timestamp(a)`"],
]);
