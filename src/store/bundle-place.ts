/** Where the bytes of a bundle lie: a file, or an https address. Nothing is known here of what they mean. */
import { constants, watch, type FSWatcher } from "node:fs";
import { open, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { mostBytes } from "../bundle/frame.ts";
import { roomFor } from "../bundle/verify.ts";
import { bundleAddressProblem } from "../config/bundle-address.ts";
import { mostKeyFileBytes, readWithin } from "../texts/read-within.ts";
import { codeOf, refusal } from "../refusal.ts";
import { fetchBundle } from "./bundle-fetch.ts";
import type { StorageConfig } from "./storage.ts";

/** A place of bytes. */
export interface BytesPlace {
  /** For people. */
  readonly name: string;
  /** Present when it is on another machine. */
  readonly url?: URL;
  /** Returns the bytes, unless they are known to be those that were kept last. Rejects with a refusal. */
  readonly read: (thorough: boolean) => Promise<Bytes | undefined>;
  /** Calls back when there may be something new, before the next poll would see it. */
  readonly watch: (changed: () => void) => void;
  readonly close: () => void;
}

/** What was read. */
export interface Bytes {
  readonly bytes: Uint8Array;
  /** To be called once they are found good: from then on, `read` says when they are still there. */
  readonly keep: () => void;
}

/** Opens the place that the settings name; throws a refusal when they name none, or two. */
export function openPlace(config: StorageConfig): BytesPlace {
  const { "storage.bundle.path": path, "storage.bundle.url": url } = config;
  if ((path === "") === (url === ""))
    throw refusal(
      `say where the bundle is, in one of storage.bundle.path and storage.bundle.url: ${path === "" ? "neither" : "both"} of them is set`,
    );
  if (path !== "") return ofFile(path);
  const problem = bundleAddressProblem(url);
  if (problem !== undefined) throw refusal(`storage.bundle.url ${problem}`);
  return ofAddress(new URL(url), config);
}

function ofFile(path: string): BytesPlace {
  const file = resolve(path);
  let kept: string | undefined;
  let watcher: FSWatcher | undefined;
  let told: (() => void) | undefined;
  const unwatch = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  /** The folder, because a file that is replaced is another file. A folder that is gone is watched again once it is back. */
  const rewatch = (): void => {
    if (told === undefined || watcher !== undefined) return;
    const changed = told;
    try {
      watcher = watch(dirname(file), () => changed());
      watcher.on("error", unwatch);
    } catch {
      // Then polls alone have to see it.
    }
  };
  return {
    name: `the bundle \`${path}\``,
    read: async (thorough) => {
      rewatch();
      try {
        const stamp = await stampOf(file);
        if (!thorough && stamp === kept) return undefined;
        const bytes = await readBounded(file);
        return { bytes, keep: () => void (kept = stamp) };
      } catch (error) {
        unwatch();
        if (codeOf(error) === undefined) throw error;
        const why = codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR" ? "does not exist" : `cannot be read (${codeOf(error)})`;
        throw refusal(`it ${why} (setting storage.bundle.path)`);
      }
    },
    watch: (changed) => {
      told = changed;
      rewatch();
    },
    close: () => {
      told = undefined;
      unwatch();
    },
  };
}

async function stampOf(file: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
  return `${ino}.${size}.${mtimeNs}.${ctimeNs}`;
}

/** Reads a file of bounded size, however it grows meanwhile. */
async function readBounded(file: string): Promise<Uint8Array> {
  // Without waiting for who writes, should it be a pipe.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw refusal("it is not a file (setting storage.bundle.path)");
    if (found.size > mostBytes) throw refusal(`it is larger than a bundle may be (${mostBytes} bytes)`);
    const buffer = roomFor(found.size);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await handle.close();
  }
}

function ofAddress(url: URL, config: StorageConfig): BytesPlace {
  const { "storage.bundle.username": username, "storage.bundle.password": password, "storage.bundle.caCert": caCert } = config;
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const authorization = username !== "" ? basic : password !== "" ? `Bearer ${password}` : undefined;
  let kept: string | undefined;
  return {
    name: `the bundle \`${url.origin}${url.pathname}\``,
    url,
    read: async (thorough) => {
      const place = {
        url,
        authorization,
        authorities: caCert === "" ? undefined : readAuthorities(caCert),
        milliseconds: config["storage.bundle.operationTimeout"],
        mostBytes,
      };
      const fetched = await fetchBundle(place, thorough ? undefined : kept);
      if (fetched.kind === "unchanged") return undefined;
      return { bytes: fetched.bytes, keep: () => void (kept = fetched.etag) };
    },
    watch: () => undefined, // nobody tells us
    close: () => undefined,
  };
}

/** Read anew each time, so that a certificate that is replaced counts at once. */
function readAuthorities(file: string): string {
  try {
    const text = readWithin(file, mostKeyFileBytes)?.toString("utf8");
    if (text === undefined) throw refusal(`\`${file}\` is larger than ${mostKeyFileBytes} bytes (setting storage.bundle.caCert)`);
    if (!text.includes("-----BEGIN CERTIFICATE-----"))
      throw refusal(`\`${file}\` holds no certificate (PEM) (setting storage.bundle.caCert)`);
    return text;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw refusal(
      `the certificates \`${file}\` ${codeOf(error) === "ENOENT" ? "do not exist" : `cannot be read (${codeOf(error)})`} (setting storage.bundle.caCert)`,
    );
  }
}
