/** A precompiled bundle from a file or an https address: fetched, checked, and kept for a start without network. */
import { readContent } from "../bundle/file.ts";
import type { Frame } from "../bundle/frame.ts";
import { knownSet, setOf, type SetAndText } from "../bundle/set.ts";
import { openTrusted, type Trust } from "../bundle/verify.ts";
import { isRefusal, messageOf, refusal } from "../refusal.ts";
import { openCopy, type Copy } from "./bundle-copy.ts";
import { openPassed } from "./bundle-passed.ts";
import { openPlace, type BytesPlace } from "./bundle-place.ts";
import type { BundleReading, BundleStore } from "./bundle-store.ts";
import { trustOf } from "./bundle-trust.ts";
import type { Trials } from "../trial/trial.ts";
import type { StorageConfig } from "./storage.ts";

/** Digests that are remembered, to notice a bundle that comes back. */
const mostRemembered = 1000;

/** Opens the place of a bundle; nothing is read yet. With `trials`, what is read is tried before anybody gets it, or a copy is kept. */
export function openBundleStore(config: StorageConfig, trials?: Trials): BundleStore {
  const place: BytesPlace = openPlace(config);
  const copy = place.url && openCopy(config["storage.bundle.cacheDir"], place.url);
  const passed = openPassed(config["storage.bundle.cacheDir"], place.name);
  /** Of the bundle that was returned last. */
  let digest: string | undefined;
  const earlier = new Set<string>();
  /** What was copied last, and who signed it: one who signs anew changes the copy too. */
  let copied: string | undefined;
  /** What could not be copied. It is tried again at each reading: until then an older copy may lie there, for a start without network. */
  let uncopied: Uint8Array | undefined;
  let poll: NodeJS.Timeout | undefined;
  const refusals = openRefusals();

  const remarksOn = (file: Frame, trust: Trust): string[] => {
    const remarks: string[] = [];
    if (digest === undefined && trust.kind === "anybody")
      remarks.push(
        `nobody checks who made this bundle (storage.bundle.allowUnsigned): whoever can change it, at rest or in transit, decides what is allowed. ${file.signature === undefined ? "It is not signed" : `It is signed by the key ${file.signature.keyId}: set storage.bundle.publicKeys`}`,
      );
    if (digest !== file.digest && earlier.has(file.digest))
      remarks.push(`a bundle has come back that was replaced before (${file.digest}): an older state of the policies`);
    return remarks;
  };
  const remember = (file: Frame): void => {
    if (digest !== undefined && digest !== file.digest) earlier.add(digest);
    for (const oldest of earlier) if (earlier.size > mostRemembered) earlier.delete(oldest);
    digest = file.digest;
  };
  /** One that was refused lately is not tried at each poll: programs answer as they did. Who asks thoroughly is told anew. */
  const tryOut = async (text: string, fileDigest: string, thorough: boolean): Promise<void> => {
    const before = thorough ? undefined : refusals.of(fileDigest);
    if (before !== undefined) throw before;
    try {
      await trials?.tryOut(text);
    } catch (error) {
      if (isRefusal(error)) refusals.keep(fileDigest, error);
      throw error;
    }
  };
  /** At a start: the digest of what need not be checked again. */
  let known: string | undefined;
  /** What a file holds, once every field was checked and the whole was tried. */
  const setIn = async (file: Frame, trust: Trust, thorough: boolean): Promise<SetAndText> => {
    const remembers = trials !== undefined && trust.kind === "keys";
    if (remembers && digest === undefined && file.digest === known) return knownSet(file.statement);
    const found = setOf(readContent(file.statement));
    await tryOut(found.text, file.digest, thorough);
    if (remembers) await passed.keep(file.digest);
    return found;
  };
  /** Without a copy everything goes on; only the next start will need the network. */
  const keepCopy = async (bytes: Uint8Array): Promise<readonly string[]> => {
    try {
      await copy?.write(bytes);
      uncopied = undefined;
      return [];
    } catch (error) {
      uncopied = bytes;
      return [
        `no copy of the bundle is kept, so the next start needs the network: ${messageOf(error)}; it is tried again at each poll, and a copy of an older bundle stays until then`,
      ];
    }
  };
  const fresh = async (thorough: boolean): Promise<BundleReading> => {
    const trust = trustOf(config);
    const read = await place.read(thorough);
    if (read === undefined) {
      if (uncopied !== undefined) await keepCopy(uncopied);
      return { kind: "unchanged" };
    }
    const file = openTrusted(read.bytes, trust);
    const found = file.digest === digest ? undefined : await setIn(file, trust, thorough);
    read.keep();
    const remarks = remarksOn(file, trust);
    remember(file);
    const signed = `${file.digest} ${file.signature?.keyId}`;
    if (uncopied !== undefined || copied !== signed) remarks.push(...(await keepCopy(read.bytes)));
    copied = signed;
    return found === undefined ? { kind: "unchanged" } : { kind: "bundle", digest: file.digest, ...found, remarks };
  };
  const fromCopy = async (kept: Copy, why: string): Promise<BundleReading> => {
    const trust = trustOf(config);
    try {
      const file = openTrusted(await kept.read(), trust);
      const found = await setIn(file, trust, true);
      const remarks = remarksOn(file, trust);
      remember(file);
      const staleBecause = `${why}; serving the last good copy, ${kept.name}`;
      return { kind: "bundle", digest: file.digest, ...found, remarks, staleBecause };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      throw refusal(`${why}; and of the last good copy, ${kept.name}: ${error.message}`);
    }
  };

  return {
    name: place.name,
    read: async (thorough = false) => {
      if (digest === undefined) {
        known = await passed.last();
        if (known === undefined) trials?.prepare(); // most likely, one that is known is still there
      }
      try {
        return await fresh(thorough);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        const why = `${place.name}: ${error.message}`;
        if (digest === undefined && copy !== undefined) return await fromCopy(copy, why);
        throw refusal(why);
      }
    },
    watch: (changed) => {
      place.watch(changed);
      poll = setInterval(changed, config["storage.bundle.updatePollInterval"]);
    },
    close: async () => {
      clearInterval(poll);
      place.close();
      trials?.close();
    },
  };
}

/** A machine that had no time for a trial may have some later. */
const refusalMilliseconds = 60_000;

/** The last refusal of a trial, for a while. */
function openRefusals(): { readonly of: (digest: string) => Error | undefined; readonly keep: (digest: string, why: Error) => void } {
  let kept: { readonly digest: string; readonly why: Error; readonly at: number } | undefined;
  return {
    of: (digest) => (kept?.digest === digest && performance.now() - kept.at < refusalMilliseconds ? kept.why : undefined),
    keep: (digest, why) => void (kept = { digest, why, at: performance.now() }),
  };
}
