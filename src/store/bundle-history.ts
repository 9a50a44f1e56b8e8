/** Which bundles have been in force, as far as this process remembers; and what is to be said of the next. */
import type { Frame } from "../bundle/frame.ts";
import type { Trust } from "../bundle/verify.ts";

/** What was returned so far. */
export interface History {
  /** The digest of the bundle that was returned last; undefined while there is none. */
  readonly digest: () => string | undefined;
  readonly remarksOn: (file: Frame, trust: Trust) => string[];
  readonly remember: (file: Frame) => void;
}

/** Digests that are remembered, to notice a bundle that comes back. */
const mostRemembered = 1000;

/** Begins with none. */
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
      for (const oldest of earlier) if (earlier.size > mostRemembered) earlier.delete(oldest);
      digest = file.digest;
    },
  };
}
