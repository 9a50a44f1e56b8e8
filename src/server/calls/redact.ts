/** Redacts a payload before it is logged: masks tokens, passwords and keys, and cuts what is too long for a log. */
import { cut } from "../../../runtime/cut.ts";

/** How many characters of a payload are shown. */
const maxShown = 16 * 1024;

/** Endings of the names of secrets, in lower case and without punctuation: they match `X-Api-Key`, `db.password`, `sessionToken`. */
const secretName =
  /(?:token|passw(?:or)?d|passwordhash|pwd|passphrase|secret|(?:api|access|private|secret|signing|encryption)key|authorization|cookie|credential|bearer)$/;
const secretNames = /(?:password|secret|(?:api|access|private|secret)key|cookie|credential)s$/;

const mask = "***";

/** Returns JSON with its secrets masked, truncated to 16 Ki characters. Input that is not JSON is replaced by its length. */
export function redact(text: string): string {
  const shown = show(cut(text, maxShown), text.length > maxShown);
  if (shown === undefined) return `(${text.length} characters that are not JSON)`;
  return text.length > maxShown ? `${shown}... (${text.length} characters in all)` : shown;
}

/** One JSON token with the white space before it: a string, a number or literal, or a punctuation mark. */
const word = /([ \t\r\n]*)("(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*"|[-+.\w]+|[{}[\]:,]|$)/y;
const bare = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/;

/** Which token may come next; `first...` directly after an opening bracket, where a closing one may follow too. */
type Next = "value" | "first value" | "key" | "first key" | "colon" | "comma or end" | "nothing";

/**
 * Prints the tokens one by one, without recursion, at any depth. Every key is masked, also a duplicate one. Returns undefined when the
 * input is not JSON.
 */
function show(text: string, cut: boolean): string | undefined {
  const written: string[] = [];
  const open: ("{" | "[")[] = [];
  /** The depth of the value whose key names a secret, while we are within it. */
  let secretAt: number | undefined;
  let next: Next = "value";
  const ended = (): Next => {
    if (secretAt === open.length) secretAt = undefined;
    return open.length === 0 ? "nothing" : "comma or end";
  };
  for (word.lastIndex = 0; ;) {
    const at = word.lastIndex;
    const [whole, space = "", found = ""] = word.exec(text) ?? [];
    const last = at + (whole?.length ?? 0) === text.length;
    // The last token may be cut in half: it is not shown.
    if (cut && (whole === undefined ? /^[ \t\r\n]*"/.test(text.slice(at)) : last)) return written.join("");
    if (whole === undefined) return undefined;
    if (found === "") return next === "nothing" ? written.join("") : undefined;
    let shown = found;
    if (found === "{" || found === "[") {
      if (next !== "value" && next !== "first value") return undefined;
      open.push(found);
      next = found === "{" ? "first key" : "first value";
    } else if (found === "}" || found === "]") {
      const ends = next === "comma or end" || next === (found === "}" ? "first key" : "first value");
      if (!ends || open.pop() !== (found === "}" ? "{" : "[")) return undefined;
      next = ended();
    } else if (found === ":") {
      if (next !== "colon") return undefined;
      next = "value";
    } else if (found === ",") {
      if (next !== "comma or end") return undefined;
      next = open.at(-1) === "{" ? "key" : "value";
    } else if (next === "key" || next === "first key") {
      if (!found.startsWith('"')) return undefined;
      const key = read(found);
      if (isSecret(key)) secretAt ??= open.length;
      shown = withoutTokens(key, found);
      next = "colon";
    } else {
      const string = found.startsWith('"');
      if ((next !== "value" && next !== "first value") || (!string && !bare.test(found))) return undefined;
      if (secretAt !== undefined) shown = `"${mask}"`;
      else if (string) shown = withoutTokens(read(found), found);
      next = ended();
    }
    written.push(space, shown);
  }
}

function isSecret(key: string): boolean {
  const name = key
    .slice(-longestName)
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, "");
  return secretName.test(name) || secretNames.test(name);
}
/** Of a longer name only the last characters are examined. */
const longestName = 100;

/** Returns the value of a valid JSON string literal. */
function read(found: string): string {
  return found.includes("\\") ? String(JSON.parse(found)) : found.slice(1, -1);
}

function withoutTokens(value: string, found: string): string {
  const masked = maskTokens(value);
  return masked === value ? found : JSON.stringify(masked);
}

/** Masks signed tokens, wherever they stand in a string, private keys, and the credentials of a header or a URL. */
export function maskTokens(written: string): string {
  if (written.includes("PRIVATE KEY-----")) return mask;
  const text = withoutCredentials(written);
  // A token has at least two dots.
  const dot = text.indexOf(".");
  if (dot === -1 || !text.includes(".", dot + 1)) return text;
  return text.replaceAll(/[\w.-]+/g, (run) => (holdsToken(run) ? mask : run));
}

function withoutCredentials(text: string): string {
  const inUrls = text.includes("://") ? text.replaceAll(/:\/\/[^\s/?#@"'<>]{1,1000}@/g, `://${mask}@`) : text;
  if (!/bearer|basic/i.test(inUrls)) return inUrls;
  return inUrls
    .replaceAll(/\b(bearer)[ \t]{1,10}[\w.~+/-]{8,}=*/gi, `$1 ${mask}`)
    .replaceAll(/\b(basic)[ \t]{1,10}([A-Za-z\d+/]{4,}={0,2})/gi, (found, scheme: string, encoded: string) =>
      decoded(encoded).includes(":") ? `${scheme} ${mask}` : found,
    );
}

const decoded = (encoded: string): string => Buffer.from(encoded, "base64").toString("latin1");

/** The beginning of a JSON object in base64url: `{"`, `{ ` and so on. */
const header = /ey[A-DI-L]|ew[k-r0-3]/;

/**
 * Returns whether a run of characters contains three base64url parts of which the first begins like a JSON object. The whole run is
 * masked.
 */
function holdsToken(run: string): boolean {
  const parts = run.split(".");
  return parts.slice(0, -2).some((part, index) => {
    const begin = part.search(header);
    return begin !== -1 && part.length - begin >= 10 && (parts[index + 1] ?? "").length > 1;
  });
}
