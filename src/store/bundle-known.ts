/** Reads the local bundle that an earlier start validated, if it has not changed: only its signature is verified again. */
import { knownSet, type SetAndText } from "../bundle/set.ts";
import { giveBack, openTrusted } from "../bundle/verify.ts";
import { openLastValidated } from "./bundle-last-validated.ts";
import { openPlace } from "./bundle-place.ts";
import { trustOf } from "./bundle-trust.ts";
import type { StorageConfig } from "./storage.ts";

/** Returns undefined when another machine must be asked, when fields must be validated, or when there is no usable bundle. */
export async function readKnownBundle(config: StorageConfig): Promise<SetAndText | undefined> {
  try {
    const place = openPlace(config);
    const trust = trustOf(config);
    if (place.url !== undefined || trust.kind !== "keys") return undefined;
    const known = await openLastValidated(config["storage.bundle.cacheDir"], place.name).last();
    const read = known === undefined ? undefined : await place.read(true);
    place.close();
    if (read === undefined) return undefined;
    try {
      const file = openTrusted(read.bytes, trust);
      return file.digest === known ? knownSet(file.statement) : undefined;
    } finally {
      giveBack(read.bytes);
    }
  } catch {
    return undefined; // The next read reports why.
  }
}
