/**
 * A store that is a precompiled bundle, from a file or an https URL: fetched, verified, validated, and copied for a start without
 * network.
 */
import type { Frame } from "../bundle/frame.ts";
import type { SetAndText } from "../bundle/set.ts";
import { openTrusted, type Trust } from "../bundle/verify.ts";
import { isRefusal, messageOf, refusal } from "../refusal.ts";
import { openBundleValidator } from "./bundle-validator.ts";
import { openCopy, type Copy } from "./bundle-copy.ts";
import { openHistory } from "./bundle-history.ts";
import { openLastValidated } from "./bundle-last-validated.ts";
import { openPlace, type BytesPlace } from "./bundle-place.ts";
import type { BundleReading, BundleStore } from "./bundle-store.ts";
import { trustOf } from "./bundle-trust.ts";
import type { Trials } from "../trial/trial.ts";
import type { StorageConfig } from "./storage.ts";
import { withMessage } from "../outgoing/unreachable-error.ts";

/** Opens a bundle; nothing is read yet. With `trials`, each version is tried before it is returned or copied. */
export function openBundleStore(config: StorageConfig, trials?: Trials): BundleStore {
  const place: BytesPlace = openPlace(config);
  const copy = place.url && openCopy(config["storage.bundle.cacheDir"], place.url);
  const validator = openBundleValidator(openLastValidated(config["storage.bundle.cacheDir"], place.name), trials);
  const history = openHistory();
  /** The digest and signer of the last copy: a new signature changes the copy too. */
  let copied: string | undefined;
  /**
   * The bytes that could not be copied. Copying is retried at each reading, because until then a start without network would use an
   * older copy.
   */
  let uncopied: Uint8Array | undefined;
  let poll: NodeJS.Timeout | undefined;

  const setIn = (file: Frame, trust: Trust, thorough: boolean): Promise<SetAndText> =>
    validator.setIn(file, trust, { isFirst: history.digest() === undefined, thorough });
  /** A failure to copy is not fatal; only a start without network would be affected. */
  const keepCopy = async (bytes: Uint8Array): Promise<readonly string[]> => {
    try {
      await copy?.write(bytes);
      uncopied = undefined;
      return [];
    } catch (error) {
      uncopied = bytes;
      return [
        `no copy of the bundle is kept, so the next start needs the network: ${messageOf(error)}; copying is retried at each poll, and the copy of an older bundle stays until then`,
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
    const found = file.digest === history.digest() ? undefined : await setIn(file, trust, thorough);
    read.keep();
    const remarks = history.remarksOn(file, trust);
    history.remember(file);
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
      const remarks = history.remarksOn(file, trust);
      history.remember(file);
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
      if (history.digest() === undefined) await validator.begin();
      try {
        return await fresh(thorough);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        const why = `${place.name}: ${error.message}`;
        if (history.digest() === undefined && copy !== undefined) return await fromCopy(copy, why);
        throw withMessage(error, why);
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
