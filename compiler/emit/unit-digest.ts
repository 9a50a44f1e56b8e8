/** Computes the digest of a unit over everything it consists of, so that units with equal digests behave the same. */
import type { BundledUnit } from "../../runtime/bundle.ts";

type Digest = (text: string) => string;

/** Returns the digest of a program: its text, constants and trees. */
export const programIdentity = ({ shape, constants, trees }: Pick<BundledUnit, "shape" | "constants" | "trees">, digest: Digest): string =>
  digest(JSON.stringify({ shape, constants, trees }));

/** Returns the digest of a unit from the identity of its program. */
export const unitDigest = (
  { id, type, name, writtenName, version, scopes }: Omit<BundledUnit, "digest" | "shape" | "constants" | "trees">,
  identity: string,
  digest: Digest,
): string => digest(JSON.stringify([id, type, name, writtenName, version, identity, scopes]));
