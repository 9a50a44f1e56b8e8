/** Key sets, kept up to date from a file, a URL or the configuration. When a source fails, the last good keys stay. */
import { statSync } from "node:fs";
import type { KeySetSetting } from "../config/key-sets.ts";
import type { FetchText } from "../outgoing/fetch-text.ts";
import type { Log } from "../observe/log.ts";
import { maxKeyFileBytes, readWithin } from "../texts/read-within.ts";
import { codeOf, messageOf, refusal } from "../refusal.ts";
import { parseKeys, type KeyFormat, type VerificationKey } from "./parse-keys.ts";
import type { KeyChoice } from "./token.ts";

/** The keys of a set at one time. */
export interface CurrentKeys {
  readonly keys: readonly VerificationKey[];
  /** Different for each version of the keys: tokens verified with another version must be verified again. */
  readonly version: number;
}

/** An open key set. */
export interface KeySet {
  readonly id: string;
  readonly choice: KeyChoice;
  /** Returns the keys; undefined when there are none at present. */
  readonly keys: () => CurrentKeys | undefined | Promise<CurrentKeys | undefined>;
  /** Returns keys that are newer than these; undefined when asking the source now is not useful. */
  readonly newer: (than: CurrentKeys) => CurrentKeys | undefined | Promise<CurrentKeys | undefined>;
  readonly close: () => void;
}

/** How keys are fetched, and the log. */
export interface KeySetOptions {
  readonly log: Log;
  readonly fetchText: FetchText;
  /** How many milliseconds a source is not asked again after it was asked on behalf of a token. */
  readonly pauseMilliseconds?: number;
}

const fetchLimits = { milliseconds: 5000, bytes: maxKeyFileBytes } as const;
const defaultPauseMilliseconds = 30_000;
/** The refresh interval in milliseconds when neither the configuration nor the server sets one. */
const defaultRefresh = 15 * 60_000;
const [minRefresh, maxRefresh] = [60_000, 24 * 3_600_000] as const;
/**
 * The least interval in milliseconds, whatever the configuration says; and the longest that a timer can wait, beyond which it would
 * fire at once.
 */
const [minWait, maxWait] = [1000, 596 * 3_600_000] as const;

/** Opens a key set; throws a refusal when keys in the configuration itself are invalid. */
export function openKeySet(setting: KeySetSetting, options: KeySetOptions): KeySet {
  const { id, optionalAlg, optionalKid, source } = setting;
  const form: KeyFormat = { optionalAlg, optionalKid, pem: source.kind !== "remote" && source.pem };
  const about = { id, choice: { optionalAlg, optionalKid } };
  switch (source.kind) {
    case "data":
      return { ...about, ...inlineKeys(id, source.text, form, options) };
    case "file":
      return { ...about, ...fileKeys(id, source.path, form, options) };
    case "remote":
      return { ...about, ...remoteKeys(id, source, form, options) };
  }
}

type KeyProvider = Pick<KeySet, "keys" | "newer" | "close">;

function inlineKeys(id: string, text: string, form: KeyFormat, { log }: KeySetOptions): KeyProvider {
  try {
    const keys: CurrentKeys = { keys: parseAndLog(id, text, form, log), version: 1 };
    return { keys: () => keys, newer: () => undefined, close: () => undefined };
  } catch (error) {
    throw refusal(`the key set \`${id}\` cannot be used: ${messageOf(error)} (setting auxData.jwt.keySets)`);
  }
}

/** Parses keys, and logs remarks about them. */
function parseAndLog(id: string, text: string, form: KeyFormat, log: Log): CurrentKeys["keys"] {
  const { keys, remarks } = parseKeys(text, form);
  for (const remark of remarks) log.warn(`the key set \`${id}\` ${remark}`);
  return keys;
}

/** Reads keys from a file. A missing or invalid file is tried again when keys are needed; a changed file is read again. */
function fileKeys(
  id: string,
  path: string,
  form: KeyFormat,
  { log, pauseMilliseconds = defaultPauseMilliseconds }: KeySetOptions,
): KeyProvider {
  let found: CurrentKeys | undefined;
  let text: string | undefined;
  /** Why the file could not be used when it was read last; undefined when it could. */
  let failure: string | undefined;
  let lookedAt = -Infinity;
  /** The stamp of the file when it was read, and when it was checked last. */
  let [stamp, seen] = ["", ""];

  const read = (): void => {
    stamp = seen = stampOf(path);
    try {
      // A pipe can be read only once: reading it again would wait forever.
      if (found !== undefined && stamp === noFile) throw refusal("it is not a regular file any more");
      const bytes = readWithin(path, fetchLimits.bytes);
      if (bytes === undefined) throw refusal(`it is larger than ${fetchLimits.bytes} bytes`);
      const now = bytes.toString("utf8");
      const isSame = now === text;
      if (!isSame) {
        const isFirst = found === undefined;
        found = { keys: parseAndLog(id, now, form, log), version: (found?.version ?? 0) + 1 };
        text = now;
        if (!isFirst) log.info(`the key set \`${id}\` was read again: the changed \`${path}\` is in force`);
      } else if (failure !== undefined) log.info(`the key set \`${id}\` can be read again: \`${path}\` is what it was`);
      failure = undefined;
    } catch (error) {
      const why = describeReadError(error);
      const kept = found === undefined ? "tokens for it are refused" : "the last good keys are kept";
      if (found === undefined || why !== failure) log.error(`the key set \`${id}\` cannot be used: \`${path}\`: ${why}; ${kept}`);
      failure = why;
      // It is there and could not be read, as while too many files are open: its stamp may stay the same when that is over.
      if (codeOf(error) !== undefined && seen !== missing) stamp = unread;
    }
  };
  const hasChanged = (): boolean => {
    const now = stampOf(path);
    // The file may be incomplete, so its stamp must be the same at two checks.
    const isSettled = now === seen;
    seen = now;
    return isSettled && now !== stamp;
  };
  const keys = (): CurrentKeys | undefined => {
    const pause = found === undefined ? pauseMilliseconds : Math.min(pauseMilliseconds, seen === stamp ? lookPause : settlePause);
    if (performance.now() - lookedAt >= pause) {
      lookedAt = performance.now();
      if (found === undefined || hasChanged()) read();
    }
    return found;
  };
  keys();
  return { keys, newer: () => undefined, close: () => undefined };
}

/** The interval in milliseconds at which a file is checked, and the one after a change. */
const [lookPause, settlePause] = [5000, 500] as const;

/** Stamps of what is no regular file, of what is not there, and of a file that is to be read whatever its stamp. */
const [noFile, missing, unread] = ["no file", "none", "unread"] as const;

/** Returns a string that changes when the file is changed or replaced. */
function stampOf(path: string): string {
  try {
    const status = statSync(path, { bigint: true });
    return status.isFile() ? [status.dev, status.ino, status.size, status.mtimeNs, status.ctimeNs].join(":") : noFile;
  } catch {
    return missing; // Reading the file will report why.
  }
}

function describeReadError(error: unknown): string {
  if (codeOf(error) === "ENOENT") return "the file does not exist";
  return codeOf(error) === undefined ? messageOf(error) : `it cannot be read (${codeOf(error)})`;
}

function remoteKeys(
  id: string,
  { url, refreshMilliseconds }: { readonly url: string; readonly refreshMilliseconds: number },
  form: KeyFormat,
  { log, fetchText, pauseMilliseconds = defaultPauseMilliseconds }: KeySetOptions,
): KeyProvider {
  let current: CurrentKeys | undefined;
  let text: string | undefined;
  let asking: Promise<CurrentKeys | undefined> | undefined;
  let askedAt = -Infinity;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const plan = (milliseconds: number): void => {
    clearTimeout(timer);
    const wait = Math.min(maxWait, Math.max(minWait, milliseconds));
    if (!closed) timer = setTimeout(() => void ask(), wait).unref();
  };
  const fetchKeys = async (): Promise<CurrentKeys | undefined> => {
    let fresh: number | undefined;
    try {
      const fetched = await fetchText(new URL(url), fetchLimits);
      fresh = fetched.freshMilliseconds;
      if (fetched.text !== text) {
        const keys = parseAndLog(id, fetched.text, form, log);
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
    const usual = refreshMilliseconds > 0 ? refreshMilliseconds : Math.min(maxRefresh, Math.max(minRefresh, fresh ?? defaultRefresh));
    plan(failing ? Math.min(usual, pauseMilliseconds) : usual);
    return current;
  };
  const ask = (): Promise<CurrentKeys | undefined> => {
    askedAt = performance.now();
    asking ??= fetchKeys().finally(() => (asking = undefined));
    return asking;
  };
  const askUnlessJustAsked = (): CurrentKeys | undefined | Promise<CurrentKeys | undefined> =>
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
