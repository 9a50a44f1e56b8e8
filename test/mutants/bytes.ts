/** Damage that knows nothing of what a bundle is, or only its lines: what happens to files on disks and networks, and what somebody without a key can do. */
import type { Random } from "../agree/random.ts";
import { signBundle } from "../../src/bundle/sign.ts";
import { stranger } from "./bases.ts";

/** Damages a file; `other` is another bundle by the same key. */
export type Damage = (random: Random, file: Buffer, other: Buffer) => Uint8Array;

const place = (random: Random, file: Buffer): number => random.whole(file.length);
const range = (random: Random, file: Buffer): readonly [from: number, to: number] => {
  const from = place(random, file);
  return [from, Math.min(file.length, from + 1 + random.whole(random.chance(0.7) ? 16 : 2000))];
};
const octets = (random: Random): Buffer => Buffer.from(random.several(1, random.chance(0.8) ? 4 : 200, () => random.whole(256)));
const patched = (file: Buffer, at: number, octet: number): Buffer => {
  const copy = Buffer.from(file);
  copy[at] = octet;
  return copy;
};
const linesOf = (file: Buffer): readonly string[] => file.toString("latin1").split("\n");
const fileOf = (lines: readonly string[]): Buffer => Buffer.from(lines.join("\n"), "latin1");
const trailer = (file: Buffer): number => file.lastIndexOf("// authz bundle sha256");

/** By name. */
export const damages: readonly (readonly [name: string, weight: number, damage: Damage])[] = [
  [
    "a bit flipped",
    6,
    (random, file) => {
      const at = place(random, file);
      return patched(file, at, (file[at] ?? 0) ^ (1 << random.whole(8)));
    },
  ],
  [
    "several bits flipped",
    1,
    (random, file) => {
      const copy = Buffer.from(file);
      for (let left = 2 + random.whole(30); left > 0; left--) {
        const at = place(random, file);
        copy[at] = (copy[at] ?? 0) ^ (1 << random.whole(8));
      }
      return copy;
    },
  ],
  ["a byte replaced", 3, (random, file) => patched(file, place(random, file), random.whole(256))],
  [
    "bytes inserted",
    3,
    (random, file) => {
      const at = random.whole(file.length + 1);
      return Buffer.concat([file.subarray(0, at), octets(random), file.subarray(at)]);
    },
  ],
  [
    "bytes deleted",
    3,
    (random, file) => {
      const [from, to] = range(random, file);
      return Buffer.concat([file.subarray(0, from), file.subarray(to)]);
    },
  ],
  [
    "bytes repeated",
    1,
    (random, file) => {
      const [from, to] = range(random, file);
      return Buffer.concat([file.subarray(0, to), file.subarray(from)]);
    },
  ],
  [
    "bytes zeroed",
    1,
    (random, file) => {
      const [from, to] = range(random, file);
      return Buffer.from(file).fill(random.pick([0, 0x20, 0xff]), from, to);
    },
  ],
  ["the end cut off", 2, (random, file) => file.subarray(0, place(random, file))],
  ["the beginning cut off", 1, (random, file) => file.subarray(1 + random.whole(file.length - 1))],
  ["something appended", 1, (random, file) => Buffer.concat([file, random.chance(0.3) ? file : octets(random)])],
  [
    "something before it",
    1,
    (random, file) => Buffer.concat([random.pick([Buffer.from("\ufeff"), Buffer.from("\n"), octets(random)]), file]),
  ],
  [
    "another bundle's beginning",
    1,
    (random, file, other) => {
      const at = random.whole(Math.min(file.length, other.length));
      return Buffer.concat([other.subarray(0, at), file.subarray(at)]);
    },
  ],
  [
    "another bundle's last lines",
    1,
    (_random, file, other) => Buffer.concat([file.subarray(0, trailer(file)), other.subarray(trailer(other))]),
  ],
  [
    "another bundle's line",
    1,
    (random, file, other) => {
      const [lines, others] = [linesOf(file), linesOf(other)];
      const at = random.whole(lines.length);
      return fileOf(lines.with(at, random.pick(others)));
    },
  ],
  [
    "two lines changed about",
    1,
    (random, file) => {
      const lines = linesOf(file);
      const [one, two] = [random.whole(lines.length), random.whole(lines.length)];
      return fileOf(lines.with(one, lines[two] ?? "").with(two, lines[one] ?? ""));
    },
  ],
  [
    "a line dropped",
    1,
    (random, file) => {
      const lines = linesOf(file);
      return fileOf(lines.toSpliced(random.whole(lines.length), 1));
    },
  ],
  [
    "a line twice",
    1,
    (random, file) => {
      const lines = linesOf(file);
      const at = random.whole(lines.length);
      return fileOf(lines.toSpliced(at, 0, lines[at] ?? ""));
    },
  ],
  ["other line ends", 0.2, (_random, file) => fileOf(linesOf(file).map((line) => `${line}\r`))],
  [
    "a word replaced",
    2,
    (random, file) => {
      const text = file.toString("latin1");
      const [from, to] = random.pick([
        ["EFFECT_ALLOW", "EFFECT_DENY"],
        ["rt.ALLOW", "rt.DENY"],
        ["rt.DENY", "rt.ALLOW"],
        ["===", "!=="],
        ['"user"', '"*"'],
        ["default", "defaulT"],
        ["true", "false"],
        ["&&", "||"],
        [":", ": "],
        ['"exact"', '"any"'],
        ["sha256", "sha512"],
        ["ed25519", "ed25518"],
      ] as const);
      const places = [...text.matchAll(new RegExp(from.replaceAll(/[|.*]/g, "\\$&"), "g"))];
      if (places.length === 0) return Buffer.concat([file, Buffer.from(" ")]);
      const { index } = random.pick(places);
      return Buffer.from(text.slice(0, index) + to + text.slice(index + from.length), "latin1");
    },
  ],
  [
    "a digit of the last lines",
    2,
    (random, file) => {
      const at = trailer(file) + random.whole(file.length - trailer(file));
      return patched(file, at, random.pick([..."0123456789abcdefABCDEF \n"]).charCodeAt(0));
    },
  ],
  ["the signature left out", 0.3, (_random, file) => file.subarray(0, file.lastIndexOf("// authz signature"))],
  ["another's signature", 0.3, (_random, file) => signBundle(file, stranger)],
];
