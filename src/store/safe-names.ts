/** Safe names for policies and schemas in a store, from untrusted input. */
import { digest } from "../texts/digest.ts";

const longest = 150;

/** Returns a file name for a policy, derived from its key, with only letters, digits, dots, dashes and underscores. */
export function policyFileName(key: string, attempt: number): string {
  const safe = key.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^[._-]+/, "");
  const short = Buffer.byteLength(safe) <= longest ? safe : `${cut(safe)}-${digest(key).slice(0, 12)}`;
  const numbered = attempt === 0 ? short : `${short}-${attempt + 1}`;
  // A file named `..._test.yaml` would be a test.
  return `${/_test$/i.test(numbered) ? `${numbered}.policy` : numbered}.yaml`;
}

/** Returns what is equal for names that some file systems take for one, because they ignore case or the composition of characters. */
export const foldName = (name: string): string => name.normalize("NFC").toLowerCase();

/** Truncates between characters, because half a surrogate pair is not a valid name. */
function cut(name: string): string {
  let kept = "";
  let bytes = 0;
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes > longest) break;
    kept += character;
  }
  return kept;
}

/** Returns why no store accepts an id for a schema (D3); undefined when it is safe. */
export function unsafeSchemaId(id: string): string | undefined {
  if (id.startsWith("/")) return "must not begin with a slash";
  if (id.includes("\\")) return "must not hold a backslash";
  if (id.includes("\0")) return "must not hold a NUL character";
  const segments = id.split("/");
  if (segments.includes("")) return "must not have an empty segment between slashes";
  if (segments.some((segment) => segment === ".." || segment === ".")) return "must not have the segments `.` or `..`";
  if (/\p{Cs}/u.test(id)) return "must be whole characters";
  return undefined;
}
