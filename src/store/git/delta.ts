/** Applies deltas of packs: an object described as copies from another one, with insertions. */
import { refusal } from "../../refusal.ts";

/** Applies a delta to its base; throws a refusal when they do not match. */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Buffer {
  let at = 0;
  const next = (): number => {
    const byte = delta[at++];
    if (byte === undefined) throw misfit();
    return byte;
  };
  const size = (): number => {
    let [value, factor, byte] = [0, 1, 0];
    do {
      byte = next();
      value += (byte & 0x7f) * factor;
      factor *= 128;
    } while (byte >= 0x80 && factor < 2 ** 49);
    return value;
  };
  /** Reads a little-endian number of which only the bytes whose bits are set are present; the others are zero. */
  const number = (bits: number, many: number): number => {
    let value = 0;
    for (let place = 0; place < many; place++) if ((bits & (1 << place)) !== 0) value += next() * 256 ** place;
    return value;
  };
  if (size() !== base.length) throw misfit();
  const length = size();
  if (length > maxBytes) throw refusal(`the repository holds an object of more than ${maxBytes} bytes`);
  const result = Buffer.alloc(length);
  let filled = 0;
  const take = (bytes: Buffer, start: number, count: number): void => {
    if (start + count > bytes.length || filled + count > length) throw misfit();
    bytes.copy(result, filled, start, start + count);
    filled += count;
  };
  while (at < delta.length) {
    const instruction = next();
    if (instruction >= 0x80) {
      const start = number(instruction & 0x0f, 4);
      const count = number((instruction >> 4) & 0x07, 3);
      take(base, start, count === 0 ? 0x10000 : count);
    } else if (instruction > 0) {
      take(delta, at, instruction);
      at += instruction;
    } else throw misfit();
  }
  if (filled !== length) throw misfit();
  return result;
}

const misfit = (): Error => refusal("the pack is damaged: a delta does not fit");
