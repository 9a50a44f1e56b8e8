/** Zip archives as they are written here, sense or not: what no packer would make is what must be refused. */
import { crc32, deflateRawSync } from "node:zlib";

/** A file in an archive. */
export interface ZipPart {
  readonly name: string;
  readonly text: string | Buffer;
  readonly stored?: boolean;
  readonly encrypted?: boolean;
  /** Lies, when they are given. */
  readonly crc?: number;
  readonly size?: number;
  readonly method?: number;
  /** As Unix keeps it: kind and permissions. */
  readonly mode?: number;
}

/** Packs files. */
export function zipOf(parts: readonly ZipPart[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const name = Buffer.from(part.name);
    const bytes = Buffer.from(part.text);
    const body = part.stored === true ? bytes : deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0); // version that is needed
    fields.writeUInt16LE(0x800 | (part.encrypted === true ? 1 : 0), 2); // names are UTF-8
    fields.writeUInt16LE(part.method ?? (part.stored === true ? 0 : 8), 4);
    fields.writeUInt32LE(part.crc ?? crc32(bytes), 10);
    fields.writeUInt32LE(body.length, 14);
    fields.writeUInt32LE(part.size ?? bytes.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, name, body]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE((part.mode ?? 0o100644) * 0x1_0000, 6);
    central.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([Buffer.from("PK\u0001\u0002"), Buffer.from([20, 3]), fields, central, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from("PK\u0005\u0006"), end]);
}
