/** Names of Unicode classes in patterns: `\p{Lu}`, `\p{uppercase letter}`, `\p{Greek}`. */

/** What may stand in a pattern: a quoted part, a class with its name, or another escape, which may look like a class. */
const escapes = /\\Q[^]*?(?:\\E|$)|\\[pP](?:\{(\^?)([^}]*)\}|([a-z]))|\\[^]/g;

/**
 * Writes the names of classes as the port of RE2 knows them. As in Go, names of categories may be long ones, and
 * upper and lower case, spaces, hyphens and underscores do not matter. Throws for what the port takes for a class
 * though RE2 knows no such class.
 */
export function withKnownClasses(pattern: string): string {
  if (!/\\p/i.test(pattern)) return pattern;
  return pattern.replace(escapes, (written: string, not: string | undefined, name: string | undefined, letter: string | undefined) => {
    if (letter !== undefined) return written.slice(0, 2) + letter.toUpperCase();
    if (name === undefined) return written;
    const known = knownName(name);
    if (properties.has(known)) throw new Error(`error parsing regexp: invalid character class range: \`${written}\``);
    return `${written.slice(0, 2)}{${not ?? ""}${known}}`;
  });
}

function knownName(name: string): string {
  const plain = name.replaceAll(/[ _-]/g, "").toLowerCase();
  const category = categories.get(plain);
  if (category !== undefined) return category;
  // Scripts of several words are known in one spelling only.
  if (plain.length > 2 && (/[^A-Za-z]/.test(name) || name === "SignWriting")) return name;
  return plain.slice(0, 1).toUpperCase() + plain.slice(1);
}

/** The short names of the general categories (Unicode, 5.7.1) by their long ones. */
const categories: ReadonlyMap<string, string> = new Map([
  ["other", "C"],
  ["control", "Cc"],
  ["cntrl", "Cc"],
  ["format", "Cf"],
  ["unassigned", "Cn"],
  ["privateuse", "Co"],
  ["surrogate", "Cs"],
  ["letter", "L"],
  ["casedletter", "LC"],
  ["lowercaseletter", "Ll"],
  ["modifierletter", "Lm"],
  ["otherletter", "Lo"],
  ["titlecaseletter", "Lt"],
  ["uppercaseletter", "Lu"],
  ["mark", "M"],
  ["combiningmark", "M"],
  ["spacingmark", "Mc"],
  ["enclosingmark", "Me"],
  ["nonspacingmark", "Mn"],
  ["number", "N"],
  ["decimalnumber", "Nd"],
  ["digit", "Nd"],
  ["letternumber", "Nl"],
  ["othernumber", "No"],
  ["punctuation", "P"],
  ["punct", "P"],
  ["connectorpunctuation", "Pc"],
  ["dashpunctuation", "Pd"],
  ["closepunctuation", "Pe"],
  ["finalpunctuation", "Pf"],
  ["initialpunctuation", "Pi"],
  ["otherpunctuation", "Po"],
  ["openpunctuation", "Ps"],
  ["symbol", "S"],
  ["currencysymbol", "Sc"],
  ["modifiersymbol", "Sk"],
  ["mathsymbol", "Sm"],
  ["othersymbol", "So"],
  ["separator", "Z"],
  ["lineseparator", "Zl"],
  ["paragraphseparator", "Zp"],
  ["spaceseparator", "Zs"],
]);

/** The names of the port that are neither categories nor scripts of RE2. */
const properties: ReadonlySet<string> = new Set([
  "ASCII_Hex_Digit",
  "Alphabetic",
  "Dash",
  "Emoji",
  "Emoji_Component",
  "Emoji_Modifier",
  "Emoji_Modifier_Base",
  "Emoji_Presentation",
  "Extended_Pictographic",
  "Hex_Digit",
  "Lowercase",
  "Math",
  "Quotation_Mark",
  "Terminal_Punctuation",
  "Unknown",
  "Uppercase",
  "White_Space",
]);
