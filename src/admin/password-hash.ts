/** Hashes of the administrator's password: creates, parses and compares them. */
import { refusal } from "../refusal.ts";

/** The longest password in bytes: bcrypt ignores what is beyond, so longer ones are refused. */
export const longestPasswordBytes = 72;
/** With a higher cost, every login would take many seconds. */
const highestCost = 16;
/** Takes about 75 ms. */
const ourCost = 10;

/** Imported on demand: most servers have no administrator. */
const bcrypt = () => import("bcryptjs");

const bcryptForm = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const command = "`authz admin hash-password` makes one (setting server.adminAPI.adminCredentials.passwordHash)";

/** Returns the bcrypt hash of a password, in base64. */
export async function hashPassword(password: string): Promise<string> {
  const { genSalt, hash } = await bcrypt();
  return Buffer.from(await hash(password, await genSalt(ourCost))).toString("base64");
}

/** Decodes the hash in the configuration; throws a refusal that does not quote it. */
export function readPasswordHash(encoded: string): string {
  if (encoded === "") throw refusal(`the administration API is enabled, and there is no hash of a password: ${command}`);
  const written = encoded.trim();
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(written) && written.length % 4 === 0;
  // Trimmed, because a hash that was encoded from a file ends with a line feed.
  const read = isBase64 ? Buffer.from(written, "base64").toString("latin1").trimEnd() : "";
  const cost = bcryptForm.exec(read)?.[1];
  if (cost === undefined) throw refusal(`the hash of the administrator's password is not the base64 of a bcrypt hash: ${command}`);
  if (Number(cost) < 4 || Number(cost) > highestCost)
    throw refusal(
      `the hash of the administrator's password has the cost ${Number(cost)}, and it must be between 4 and ${highestCost}: ${command}`,
    );
  return read;
}

/** Compares a password with a bcrypt hash. The duration depends on the hash only. */
export async function passwordMatches(password: string, bcryptHash: string): Promise<boolean> {
  const { compare, truncates } = await bcrypt();
  const isWhole = !truncates(password);
  return (await compare(password, bcryptHash)) && isWhole;
}
