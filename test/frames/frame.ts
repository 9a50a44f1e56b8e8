/** Frames of HTTP/2 (RFC 9113, 4.1): written, also as they may not be, and read. */

/** The numbers of frame types. */
export const types = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;

/** The flags that frames of several types have; ACK is END_STREAM by another name. */
export const flags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

/** With these bytes a client begins. */
export const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Writes a frame; its length is that of its payload unless it is to lie. */
export function frame(type: number, flag: number, stream: number, payload: Uint8Array = Buffer.alloc(0), length = payload.length): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head[3] = type;
  head[4] = flag;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

/** A number of 32 bits. */
export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

/** Settings as pairs of their number and value. */
export const settings = (...pairs: readonly (readonly [number: number, value: number])[]): Buffer =>
  frame(
    types.settings,
    0,
    0,
    Buffer.concat(
      pairs.map(([number, value]) => {
        const pair = Buffer.alloc(6);
        pair.writeUInt16BE(number);
        pair.writeUInt32BE(value, 2);
        return pair;
      }),
    ),
  );

/** A frame that was read. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Reads frames as long as there are whole ones, and says how many bytes they took. */
export function readFrames(bytes: Buffer): { readonly frames: readonly Frame[]; readonly length: number } {
  const frames: Frame[] = [];
  let at = 0;
  while (at + 9 <= bytes.length) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    const [type = 0, flag = 0] = bytes.subarray(at + 3, at + 5);
    frames.push({ type, flags: flag, stream: bytes.readUInt32BE(at + 5) & 0x7fffffff, payload: bytes.subarray(at + 9, end) });
    at = end;
  }
  return { frames, length: at };
}
