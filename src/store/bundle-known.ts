/** The bundle that an earlier start found good, if it lies where it lay: what reads it checks whose it is, and nothing else. */
import { knownSet, type SetAndText } from "../bundle/set.ts";
import { giveBack, openTrusted } from "../bundle/verify.ts";
import { openPassed } from "./bundle-passed.ts";
import { openPlace } from "./bundle-place.ts";
import { trustOf } from "./bundle-trust.ts";
import type { StorageConfig } from "./storage.ts";

/** Undefined where somebody has to ask another machine, check every field, or say why there is nothing. */
export async function readKnownBundle(config: StorageConfig): Promise<SetAndText | undefined> {
  try {
    const place = openPlace(config);
    const trust = trustOf(config);
    if (place.url !== undefined || trust.kind !== "keys") return undefined;
    const known = await openPassed(config["storage.bundle.cacheDir"], place.name).last();
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
    return undefined; // whoever reads it next says why
  }
}
