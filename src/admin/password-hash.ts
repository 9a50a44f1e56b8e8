/** Hashes of the administrator's password: made, read from the configuration, compared. */
import { refusal } from "../refusal.ts";

/** More bytes of a password are not looked at by bcrypt, so such a password is none. */
export const longestPasswordBytes = 72;
/** A hash of a higher cost would keep every login waiting for many seconds. */
const highestCost = 16;
/** Makes the work of about 75 ms. */
const ourCost = 10;

/** Most servers have no administrator. */
const bcrypt = () => import("bcryptjs");

const bcryptForm = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const command = "`authz admin hash-password` makes one (setting server.adminAPI.adminCredentials.passwordHash)";

/** Returns the base64 of the bcrypt hash of a password. */
export async function hashPassword(password: string): Promise<string> {
  const { genSalt, hash } = await bcrypt();
  return Buffer.from(await hash(password, await genSalt(ourCost))).toString("base64");
}

/** Reads the hash that the configuration has in base64; throws a refusal that does not quote it. */
export function readPasswordHash(encoded: string): string {
  if (encoded === "") throw refusal(`the administration API is enabled, and there is no hash of a password: ${command}`);
  const written = encoded.trim();
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(written) && written.length % 4 === 0;
  // Files end with a line feed, and so does what was encoded from one.
  const read = isBase64 ? Buffer.from(written, "base64").toString("latin1").trimEnd() : "";
  const cost = bcryptForm.exec(read)?.[1];
  if (cost === undefined) throw refusal(`the hash of the administrator's password is not the base64 of a bcrypt hash: ${command}`);
  if (Number(cost) < 4 || Number(cost) > highestCost)
    throw refusal(
      `the hash of the administrator's password has the cost ${Number(cost)}, and it must be between 4 and ${highestCost}: ${command}`,
    );
  return read;
}

/** Compares a password with a bcrypt hash, in the time that the hash asks for, whatever the password is. */
export async function passwordMatches(password: string, bcryptHash: string): Promise<boolean> {
  const { compare, truncates } = await bcrypt();
  const isWhole = !truncates(password);
  return (await compare(password, bcryptHash)) && isWhole;
}
