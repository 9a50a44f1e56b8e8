/** Reads the bytes of a bundle from its location, a file or an https URL, without interpreting them. */
import { constants, watch, type FSWatcher } from "node:fs";
import { open, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { maxBytes } from "../bundle/frame.ts";
import { roomFor } from "../bundle/verify.ts";
import { bundleAddressProblem } from "../config/bundle-address.ts";
import { codeOf, refusal } from "../refusal.ts";
import { readAuthorities } from "./authorities.ts";
import { fetchBundle } from "./bundle-fetch.ts";
import type { StorageConfig } from "./storage.ts";

/** A location. */
export interface BytesPlace {
  /** For messages. */
  readonly name: string;
  /** The URL; absent for a local file. */
  readonly url?: URL;
  /** Returns the bytes; undefined when they are still those that were kept last. Rejects with a refusal. */
  readonly read: (thorough: boolean) => Promise<Bytes | undefined>;
  /** Calls back when there may be a new version, before the next poll. */
  readonly watch: (changed: () => void) => void;
  readonly close: () => void;
}

/** The result of a reading. */
export interface Bytes {
  readonly bytes: Uint8Array;
  /** To be called once the bytes are validated: from then on, `read` returns undefined for the same version. */
  readonly keep: () => void;
}

/** Opens the location in the settings; throws a refusal when they name none, or two. */
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
  /**
   * Watches the directory, because replacing a file creates another inode. A directory that was removed is watched again once it is
   * back.
   */
  const rewatch = (): void => {
    if (told === undefined || watcher !== undefined) return;
    const changed = told;
    try {
      watcher = watch(dirname(file), () => changed());
      watcher.on("error", unwatch);
    } catch {
      // Then changes are found by polling.
    }
  };
  return {
    name: `the bundle \`${path}\``,
    read: async (thorough) => {
      rewatch();
      try {
        const { stamp, isYoung } = await stampOf(file);
        if (!thorough && stamp === kept) return undefined;
        const bytes = await readBounded(file);
        kept = undefined; // What is refused now is not what was kept, even if it is the same file: the trusted keys may have changed.
        return { bytes, keep: () => void (kept = isYoung ? undefined : stamp) };
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

/** `isYoung`: the file may be written again within the resolution of its time stamps, without a visible difference. */
async function stampOf(file: string): Promise<{ readonly stamp: string; readonly isYoung: boolean }> {
  const { ino, size, mtimeNs, ctimeNs, ctimeMs } = await stat(file, { bigint: true });
  return { stamp: `${ino}.${size}.${mtimeNs}.${ctimeNs}`, isYoung: Math.abs(Date.now() - Number(ctimeMs)) < 2100 };
}

/** Reads a file of bounded size, even if it grows meanwhile. */
async function readBounded(file: string): Promise<Uint8Array> {
  // Non-blocking, in case it is a pipe.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw refusal("it is not a file (setting storage.bundle.path)");
    if (found.size > maxBytes) throw refusal(`it is larger than a bundle may be (${maxBytes} bytes)`);
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
        authorities: caCert === "" ? undefined : readAuthorities(caCert, "storage.bundle.caCert"),
        milliseconds: config["storage.bundle.operationTimeout"],
        maxBytes,
      };
      const fetched = await fetchBundle(place, thorough ? undefined : kept);
      if (fetched.kind === "unchanged") return undefined;
      kept = undefined; // as for a file
      return { bytes: fetched.bytes, keep: () => void (kept = fetched.etag) };
    },
    watch: () => undefined, // a server does not notify us
    close: () => undefined,
  };
}
