/** Key sets: their keys as they are now, wherever they come from. A source that fails takes no keys away. */
import type { KeySetSetting } from "../config/key-sets.ts";
import type { FetchText } from "../texts/fetch-text.ts";
import type { Log } from "../observe/log.ts";
import { mostKeyFileBytes, readWithin } from "../texts/read-within.ts";
import { codeOf, messageOf, refusal } from "../refusal.ts";
import { readKeys, type KeyForm, type VerificationKey } from "./keys.ts";
import type { KeyChoice } from "./token.ts";

/** Keys at one time. */
export interface Keys {
  readonly keys: readonly VerificationKey[];
  /** Another number for every other text of keys: what was verified by older ones has to be verified again. */
  readonly version: number;
}

/** A key set that is open. */
export interface KeySet {
  readonly id: string;
  readonly choice: KeyChoice;
  /** The keys; undefined when there are none to be had now. */
  readonly keys: () => Keys | undefined | Promise<Keys | undefined>;
  /** Keys that may have come after these; undefined when it is no use to ask now. */
  readonly newer: (than: Keys) => Keys | undefined | Promise<Keys | undefined>;
  readonly close: () => void;
}

/** What key sets are opened with. */
export interface KeySetOptions {
  readonly log: Log;
  readonly fetchText: FetchText;
  /** How long a source is left alone after it was asked on behalf of a token. */
  readonly pauseMilliseconds?: number;
}

const bounds = { milliseconds: 5000, bytes: mostKeyFileBytes } as const;
const defaultPause = 30_000;
/** How often keys are fetched where neither the operator nor their server says. */
const usualRefresh = 15 * 60_000;
const [shortestRefresh, longestRefresh] = [60_000, 24 * 3_600_000] as const;

/** Opens a key set; keys in the configuration itself that cannot be read are a refusal. */
export function openKeySet(setting: KeySetSetting, options: KeySetOptions): KeySet {
  const { id, optionalAlg, optionalKid, source } = setting;
  const form: KeyForm = { optionalAlg, optionalKid, pem: source.kind !== "remote" && source.pem };
  const about = { id, choice: { optionalAlg, optionalKid } };
  switch (source.kind) {
    case "data":
      return { ...about, ...inline(id, source.text, form) };
    case "file":
      return { ...about, ...fromFile(id, source.path, form, options) };
    case "remote":
      return { ...about, ...remote(id, source, form, options) };
  }
}

type Source = Pick<KeySet, "keys" | "newer" | "close">;

function inline(id: string, text: string, form: KeyForm): Source {
  try {
    const keys: Keys = { keys: readKeys(text, form), version: 1 };
    return { keys: () => keys, newer: () => undefined, close: () => undefined };
  } catch (error) {
    throw refusal(`the key set \`${id}\` cannot be used: ${messageOf(error)} (setting auxData.jwt.keySets)`);
  }
}

/** A file that is not there yet, or not right yet, is tried again when it is needed. */
function fromFile(id: string, path: string, form: KeyForm, { log, pauseMilliseconds = defaultPause }: KeySetOptions): Source {
  let found: Keys | undefined;
  let triedAt = -Infinity;
  const read = (): Keys | undefined => {
    if (found !== undefined || performance.now() - triedAt < pauseMilliseconds) return found;
    triedAt = performance.now();
    try {
      const bytes = readWithin(path, bounds.bytes);
      if (bytes === undefined) throw refusal(`it is larger than ${bounds.bytes} bytes`);
      found = { keys: readKeys(bytes.toString("utf8"), form), version: 1 };
    } catch (error) {
      const why =
        codeOf(error) === "ENOENT"
          ? "the file does not exist"
          : codeOf(error) === undefined
            ? messageOf(error)
            : `it cannot be read (${codeOf(error)})`;
      log.error(`the key set \`${id}\` cannot be used: \`${path}\`: ${why}; tokens for it are refused`);
    }
    return found;
  };
  read();
  return { keys: read, newer: () => undefined, close: () => undefined };
}

function remote(
  id: string,
  { url, refreshMilliseconds }: { readonly url: string; readonly refreshMilliseconds: number },
  form: KeyForm,
  { log, fetchText, pauseMilliseconds = defaultPause }: KeySetOptions,
): Source {
  let current: Keys | undefined;
  let text: string | undefined;
  let asking: Promise<Keys | undefined> | undefined;
  let askedAt = -Infinity;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const plan = (milliseconds: number): void => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(() => void ask(), milliseconds).unref();
  };
  const fetchKeys = async (): Promise<Keys | undefined> => {
    let fresh: number | undefined;
    try {
      const fetched = await fetchText(new URL(url), bounds);
      fresh = fetched.freshMilliseconds;
      if (fetched.text !== text) {
        const keys = readKeys(fetched.text, form);
        text = fetched.text;
        current = { keys, version: (current?.version ?? 0) + 1 };
      }
      if (failing) log.info(`the key set \`${id}\` is fetched again`);
      failing = false;
    } catch (error) {
      const kept = current === undefined ? "tokens for it are refused" : "the last good keys are kept";
      if (!failing) log.warn(`the key set \`${id}\` cannot be fetched: ${messageOf(error)}; ${kept}`);
      failing = true;
    }
    const usual =
      refreshMilliseconds > 0 ? refreshMilliseconds : Math.min(longestRefresh, Math.max(shortestRefresh, fresh ?? usualRefresh));
    plan(failing ? Math.min(usual, Math.max(1000, pauseMilliseconds)) : usual);
    return current;
  };
  const ask = (): Promise<Keys | undefined> => {
    askedAt = performance.now();
    asking ??= fetchKeys().finally(() => (asking = undefined));
    return asking;
  };
  const askUnlessJustAsked = (): Keys | undefined | Promise<Keys | undefined> =>
    asking ?? (performance.now() - askedAt < pauseMilliseconds ? undefined : ask());
  void ask();

  return {
    keys: () => current ?? askUnlessJustAsked(),
    newer: (than) => (current !== undefined && current.version !== than.version ? current : askUnlessJustAsked()),
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}
