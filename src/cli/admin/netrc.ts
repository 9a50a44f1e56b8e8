/** Parses a netrc file: login and password per machine. */

/** The entry of a machine. */
export interface NetrcEntry {
  readonly login: string | undefined;
  readonly password: string | undefined;
}

/** Finds a machine's entry; `default` matches every machine that has no entry before it. */
export function findMachine(text: string, machine: string): NetrcEntry | undefined {
  let [isFound, login, password]: [boolean, string | undefined, string | undefined] = [false, undefined, undefined];
  const tokens = tokensOf(text)[Symbol.iterator]();
  for (const token of tokens) {
    if (isFound && (token === "machine" || token === "default")) break;
    if (token === "default") isFound = true;
    else {
      const { value } = tokens.next();
      if (token === "machine") isFound = value === machine;
      else if (isFound && token === "login") login ??= value;
      else if (isFound && token === "password") password ??= value;
    }
  }
  return isFound ? { login, password } : undefined;
}

/** Splits into words, some of which are double-quoted. Comment lines and macros are skipped. */
function tokensOf(text: string): readonly string[] {
  const withoutComments = text.replaceAll(/^[ \t]*#.*$/gm, "").replaceAll(/(^|\s)macdef\s[^]*?(?:\n[ \t\r]*\n|$)/g, "$1\n");
  return [...withoutComments.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s"]\S*)/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll(/\\(.)/g, "$1") ?? bare ?? "",
  );
}
