/** Chooses readable identifiers: the policy's own words, made legal and unique. */
import type { Name } from "./code.ts";

/**
 * Returns a function that assigns each name an identifier. No two names share one, and none is a reserved word or
 * used by the generated frame.
 */
export function identifiers(): (name: Name) => string {
  const chosen = new Map<Name, string>();
  const taken = new Set<string>(reserved);
  return (name) => {
    const known = chosen.get(name);
    if (known !== undefined) return known;
    const base = legal(name.hint);
    let identifier = base;
    for (let number = 2; taken.has(identifier); number++) identifier = `${base}_${number}`;
    taken.add(identifier);
    chosen.set(name, identifier);
    return identifier;
  };
}

/** `apple-owner` becomes `appleOwner`; a hint without letters or digits becomes `it`. */
function legal(hint: string): string {
  const words = hint
    .slice(0, 60)
    .split(/[^A-Za-z0-9_]+/)
    .filter((word) => word !== "");
  const joined = words.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("");
  if (joined === "") return "it";
  return /^[0-9]/.test(joined) ? `_${joined}` : joined;
}

const reserved = [
  // names in the frame of a unit
  "rt",
  "k",
  "q",
  "action",
  "roles",
  "kinds",
  "effect",
  "first",
  "variables",
  "options",
  "trouble",
  // reserved words, and globals that readers would assume
  "abstract",
  "arguments",
  "as",
  "async",
  "await",
  "boolean",
  "break",
  "byte",
  "case",
  "catch",
  "char",
  "class",
  "const",
  "continue",
  "debugger",
  "default",
  "delete",
  "do",
  "double",
  "else",
  "enum",
  "eval",
  "export",
  "extends",
  "false",
  "final",
  "finally",
  "float",
  "for",
  "from",
  "function",
  "get",
  "goto",
  "if",
  "implements",
  "import",
  "in",
  "instanceof",
  "int",
  "interface",
  "let",
  "long",
  "native",
  "new",
  "null",
  "of",
  "package",
  "private",
  "protected",
  "public",
  "return",
  "set",
  "short",
  "static",
  "super",
  "switch",
  "synchronized",
  "this",
  "throw",
  "throws",
  "transient",
  "true",
  "try",
  "typeof",
  "undefined",
  "using",
  "var",
  "void",
  "volatile",
  "while",
  "with",
  "yield",
  "Infinity",
  "NaN",
  "Object",
  "Function",
  "Array",
  "Map",
  "Set",
  "String",
  "Number",
  "Boolean",
  "BigInt",
  "Symbol",
  "Math",
  "JSON",
  "Date",
  "RegExp",
  "Promise",
  "Proxy",
  "Reflect",
  "globalThis",
  "require",
  "module",
  "exports",
  "process",
  "constructor",
  "prototype",
  "__proto__",
  "isNaN",
  "isFinite",
  "parseInt",
  "parseFloat",
  "escape",
  "unescape",
];
