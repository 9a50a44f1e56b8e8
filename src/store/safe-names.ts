/** Names that policies and schemas may have in a store, however they were made up. */
import { digest } from "../texts/digest.ts";

const longest = 150;

/** Returns a file name for a policy by its key: letters, digits, dots, dashes and underscores, and nothing that would make it no policy. */
export function policyFileName(key: string, attempt: number): string {
  const safe = key.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^[._-]+/, "");
  const short = Buffer.byteLength(safe) <= longest ? safe : `${cut(safe)}-${digest(key).slice(0, 12)}`;
  const numbered = attempt === 0 ? short : `${short}-${attempt + 1}`;
  // A file called `..._test.yaml` would be a test.
  return `${/_test$/i.test(numbered) ? `${numbered}.policy` : numbered}.yaml`;
}

/** Keeps whole characters: half of one would be no name. */
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

/** Says why an id cannot be a schema's on any store (D3); undefined when it can. */
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
