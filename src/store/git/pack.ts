/** Parses a pack into its objects. The whole pack is verified before any object is returned. */
import { createHash } from "node:crypto";
import { inflateSync } from "node:zlib";
import { invariant } from "../../../runtime/cel/error.ts";
import { refusal } from "../../refusal.ts";
import { applyDelta } from "./delta.ts";
import { idOf, largestObject, type GitObject, type ObjectKind, type ObjectReader } from "./object.ts";

/** The limit for the inflated size of all objects together, in bytes. */
const maxInflated = 1024 * 1024 * 1024;
/**
 * The limit for all bytes that are produced while a pack is parsed. The bases of a delta are produced again if they are no longer in the
 * cache, so a small pack can cost much more than its objects' size.
 */
const maxMade = 8 * maxInflated;
/** The size in bytes of the cache of recent objects, on which deltas are mostly based. */
const maxAtHand = 64 * 1024 * 1024;
const longestChain = 4096;

interface Entry {
  /** The offset of its compressed bytes. */
  readonly start: number;
  readonly size: number;
  readonly what: { readonly kind: ObjectKind } | { readonly at: number } | { readonly id: string };
}

/**
 * Parses a pack. Deltas may be based on objects in `outside`; an object whose base is found nowhere counts as missing. Throws a refusal
 * if more than `maxBytes` have to be produced.
 */
export async function readPack(pack: Buffer, outside?: ObjectReader, maxBytes = maxMade): Promise<ObjectReader> {
  const entries = scan(pack);
  const places = new Map<string, number>();
  const bases = new Map<string, GitObject>();
  const atHand = openAtHand();
  let inflated = 0;
  let made = 0;

  const keep = (place: number, object: GitObject, bytes: number): void => {
    made += bytes;
    if (made > maxBytes) throw refusal(`the pack takes more than ${maxBytes} bytes to unpack: its objects build on each other too often`);
    atHand.put(place, object);
  };
  const objectAt = (place: number): GitObject => {
    // Follow the chain of deltas to a whole object, then apply them in reverse.
    const chain: (readonly [place: number, entry: Entry])[] = [];
    let found = atHand.get(place);
    for (let next = place; found === undefined;) {
      const entry = entries.get(next);
      if (entry === undefined || chain.length === longestChain) throw damaged("a delta builds on nothing");
      if ("kind" in entry.what) {
        found = { kind: entry.what.kind, content: inflate(pack, entry).content };
        keep(next, found, found.content.length);
        break;
      }
      chain.push([next, entry]);
      const base = "at" in entry.what ? entry.what.at : places.get(entry.what.id);
      if (base === undefined) {
        found = "id" in entry.what ? bases.get(entry.what.id) : undefined;
        invariant(found !== undefined, "an object is read when what it builds on is known");
        break;
      }
      next = base;
      found = atHand.get(next);
    }
    for (const [at, entry] of chain.toReversed()) {
      const delta = inflate(pack, entry).content;
      found = { kind: found.kind, content: applyDelta(found.content, delta, largestObject) };
      keep(at, found, delta.length + found.content.length);
    }
    inflated += found.content.length;
    return found;
  };
  /** By the place of each delta that cannot be read yet: the id of the object that it depends on and that is not known. */
  const lacks = new Map<number, string>();
  /** By that id: those places, in order. */
  const waiting = new Map<string, number[]>();
  const lackOf = (place: number): string | undefined => {
    const what = entries.get(place)?.what;
    if (what === undefined || "kind" in what) return undefined; // if there is no entry, reading reports it
    // What a delta builds on by its place lies before it, and has been visited.
    if ("at" in what) return lacks.get(what.at);
    return places.has(what.id) || bases.has(what.id) ? undefined : what.id;
  };
  /** Reads objects, and all that were waiting for them: each is visited at most twice, however long the chains of deltas are. */
  const visit = (first: Iterable<number>): void => {
    const ready = [...first];
    for (const place of ready) {
      const lack = lackOf(place);
      if (lack !== undefined) {
        lacks.set(place, lack);
        const others = waiting.get(lack);
        if (others === undefined) waiting.set(lack, [place]);
        else others.push(place);
        continue;
      }
      lacks.delete(place);
      const id = idOf(objectAt(place));
      places.set(id, place);
      if (inflated > maxInflated) throw refusal(`the repository's objects come to more than ${maxInflated} bytes`);
      for (const next of waiting.get(id) ?? []) ready.push(next);
      waiting.delete(id);
    }
  };

  // A delta may be based on a later object of the pack, whose id is only known once that has been read.
  visit(entries.keys());
  if (waiting.size > 0 && outside === undefined) throw damaged("a delta builds on an object that is not there");
  for (const id of waiting.keys()) {
    const object = await outside?.(id);
    if (object === undefined) continue;
    bases.set(id, object);
    const next = waiting.get(id) ?? [];
    waiting.delete(id);
    visit(next);
  }

  return async (id) => {
    const place = places.get(id);
    return place === undefined ? undefined : objectAt(place);
  };
}

/** Finds where each object begins; only inflating them one after the other tells. */
function scan(pack: Buffer): ReadonlyMap<number, Entry> {
  if (pack.length < 32 || pack.toString("latin1", 0, 4) !== "PACK") throw damaged("it does not begin as packs do");
  const end = pack.length - 20;
  if (!createHash("sha1").update(pack.subarray(0, end)).digest().equals(pack.subarray(end))) throw damaged("its checksum is wrong");
  const version = pack.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw refusal(`the server sends packs of version ${version}, which is not supported`);
  const body = pack.subarray(0, end);
  const entries = new Map<number, Entry>();
  let at = 12;
  let total = 0;
  for (let left = pack.readUInt32BE(8); left > 0; left--) {
    const { entry, place } = header(body, at);
    total += entry.size;
    if (total > maxInflated) throw refusal(`the repository's objects come to more than ${maxInflated} bytes`);
    entries.set(place, entry);
    at = entry.start + inflate(pack, entry).read;
  }
  if (at !== end) throw damaged("something follows its last object");
  return entries;
}

const kinds: { readonly [type: number]: ObjectKind } = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };

function header(body: Buffer, place: number): { readonly place: number; readonly entry: Entry } {
  let at = place;
  const next = (): number => {
    const byte = body[at++];
    if (byte === undefined) throw damaged("it ends before its last object");
    return byte;
  };
  let byte = next();
  const type = (byte >> 4) & 0x07;
  let size = byte & 0x0f;
  for (let factor = 16; byte >= 0x80 && factor < 2 ** 49; factor *= 128) {
    byte = next();
    size += (byte & 0x7f) * factor;
  }
  if (size > largestObject) throw refusal(`the repository holds an object of more than ${largestObject} bytes`);
  const kind = kinds[type];
  if (kind !== undefined) return { place, entry: { start: at, size, what: { kind } } };
  if (type === 7) {
    const id = body.toString("hex", at, at + 20);
    return { place, entry: { start: at + 20, size, what: { id } } };
  }
  if (type !== 6) throw damaged("it holds objects of an unknown kind");
  byte = next();
  let back = byte & 0x7f;
  while (byte >= 0x80 && back < 2 ** 40) {
    byte = next();
    back = (back + 1) * 128 + (byte & 0x7f);
  }
  return { place, entry: { start: at, size, what: { at: place - back } } };
}

function inflate(pack: Buffer, { start, size }: Entry): { readonly content: Buffer; readonly read: number } {
  try {
    // With `info`, `inflateSync` also returns how many bytes it consumed; its type does not declare that.
    const done = inflateSync(pack.subarray(start, pack.length - 20), {
      info: true,
      maxOutputLength: Math.max(1, size),
      chunkSize: Math.max(64, Math.min(size + 1, 65_536)),
    }) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    if (done.buffer.length === size) return { content: done.buffer, read: done.engine.bytesWritten };
  } catch {
    // zlib's message is not helpful: the pack must be fetched again.
  }
  throw damaged("an object cannot be unpacked");
}

/** A cache of the objects that were read last, bounded in bytes. */
function openAtHand(): {
  readonly get: (place: number) => GitObject | undefined;
  readonly put: (place: number, object: GitObject) => void;
} {
  const objects = new Map<number, GitObject>();
  let bytes = 0;
  return {
    get: (place) => {
      const object = objects.get(place);
      if (object === undefined) return undefined;
      // The one that was asked for last stands at the end.
      objects.delete(place);
      objects.set(place, object);
      return object;
    },
    put: (place, object) => {
      if (objects.has(place)) return;
      objects.set(place, object);
      bytes += object.content.length;
      for (const [oldest, { content }] of objects) {
        if (bytes <= maxAtHand) break;
        objects.delete(oldest);
        bytes -= content.length;
      }
    },
  };
}

const damaged = (why: string): Error => refusal(`the pack is damaged: ${why}`);
