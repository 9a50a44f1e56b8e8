/** Protobuf as it is on the wire, written by hand: for messages that no library would make. */

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt(value);
  do {
    const low = Number(left & 127n);
    left >>= 7n;
    bytes.push(left > 0n ? low | 128 : low);
  } while (left > 0n);
  return Buffer.from(bytes);
}

export const tag = (field: number, wire: number): Buffer => varint((field << 3) | wire);

/** A field with a length: a text, bytes, a message. */
export function part(field: number, content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([tag(field, 2), varint(bytes.length), bytes]);
}

/** A message in the frame of gRPC. */
export function framed(message: Uint8Array, compressed = 0, length = message.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(compressed, 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}
