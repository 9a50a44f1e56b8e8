/** Reads a netrc file: who to be on which machine. */

/** What the file says of a machine. */
export interface NetrcEntry {
  readonly login: string | undefined;
  readonly password: string | undefined;
}

/** Finds a machine's entry; `default` stands for every machine that comes after it in the file. */
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

/** Words between blanks, some in double quotes. Lines that begin with `#`, and macros with all their lines, say nothing here. */
function tokensOf(text: string): readonly string[] {
  const spoken = text.replaceAll(/^[ \t]*#.*$/gm, "").replaceAll(/(^|\s)macdef\s[^]*?(?:\n[ \t\r]*\n|$)/g, "$1\n");
  return [...spoken.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s"]\S*)/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll(/\\(.)/g, "$1") ?? bare ?? "",
  );
}
