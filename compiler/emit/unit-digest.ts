/** Computes the digest of a unit over everything that it is made of, so that units of equal digests behave equally. */
import type { BundledUnit } from "../../runtime/bundle.ts";

type Digest = (text: string) => string;

/** Returns the digest of a program: its text, constants and trees. */
export const programIdentity = ({ shape, constants, trees }: Pick<BundledUnit, "shape" | "constants" | "trees">, digest: Digest): string =>
  digest(JSON.stringify({ shape, constants, trees }));

/** Returns the digest of a unit, by the identity of its program. */
export const unitDigest = (
  { id, type, name, writtenName, version, scopes }: Omit<BundledUnit, "digest" | "shape" | "constants" | "trees">,
  identity: string,
  digest: Digest,
): string => digest(JSON.stringify([id, type, name, writtenName, version, identity, scopes]));
