/** Reads the file of certificate authorities that are trusted in place of those that Node trusts. */
import { codeOf, refusal } from "../refusal.ts";
import { maxKeyFileBytes, readWithin } from "../texts/read-within.ts";

/** Read again for each request, so that a replaced certificate takes effect at once. `setting` names the file, for refusals. */
export function readAuthorities(file: string, setting: string): string {
  try {
    const text = readWithin(file, maxKeyFileBytes)?.toString("utf8");
    if (text === undefined) throw refusal(`\`${file}\` is larger than ${maxKeyFileBytes} bytes (setting ${setting})`);
    // Node ignores what is no certificate, and would then say that an authority is unknown.
    if (!text.includes("-----BEGIN CERTIFICATE-----")) throw refusal(`\`${file}\` holds no certificate (PEM) (setting ${setting})`);
    return text;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    const why = codeOf(error) === "ENOENT" ? "do not exist" : `cannot be read (${codeOf(error)})`;
    throw refusal(`the certificates \`${file}\` ${why} (setting ${setting})`);
  }
}
