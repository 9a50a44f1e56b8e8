/** The bundles that have been in force in this process, and the remarks on the next one. */
import type { Frame } from "../bundle/frame.ts";
import type { Trust } from "../bundle/verify.ts";

/** The history. */
export interface History {
  /** Returns the digest of the last bundle; undefined before the first. */
  readonly digest: () => string | undefined;
  readonly remarksOn: (file: Frame, trust: Trust) => string[];
  readonly remember: (file: Frame) => void;
}

/** How many digests are remembered, to notice that an old bundle comes back. */
const maxRemembered = 1000;

/** Opens an empty history. */
export function openHistory(): History {
  let digest: string | undefined;
  const earlier = new Set<string>();
  return {
    digest: () => digest,
    remarksOn: (file, trust) => {
      const remarks: string[] = [];
      if (digest === undefined && trust.kind === "anybody")
        remarks.push(
          `nobody checks who made this bundle (storage.bundle.allowUnsigned): whoever can change it, at rest or in transit, decides what is allowed. ${file.signature === undefined ? "It is not signed" : `It is signed by the key ${file.signature.keyId}: set storage.bundle.publicKeys`}`,
        );
      if (digest !== file.digest && earlier.has(file.digest))
        remarks.push(`a bundle has come back that was replaced before (${file.digest}): an older state of the policies`);
      return remarks;
    },
    remember: (file) => {
      if (digest !== undefined && digest !== file.digest) earlier.add(digest);
      for (const oldest of earlier) if (earlier.size > maxRemembered) earlier.delete(oldest);
      digest = file.digest;
    },
  };
}
