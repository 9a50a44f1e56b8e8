/** Requests of HTTP/2 as the frames of one stream: how they are written, and what may come of them. */
import type { Random } from "../agree/random.ts";
import { flags, frame, types, word } from "./frame.ts";
import { integer, writeField, type Field, type Form } from "./hpack.ts";
import type { Question } from "./question.ts";

/** What may come of a stream. */
export type Expected =
  /** One of these statuses of gRPC; 0 is the answer to the question, if there is one. */
  | { readonly kind: "grpc"; readonly statuses: readonly number[]; readonly question?: Question }
  | { readonly kind: "http"; readonly statuses: readonly number[]; readonly question?: Question }
  /** It is malformed in a way that may cost it a header or all: answered rightly, refused or reset. */
  | { readonly kind: "either"; readonly question: Question }
  /** It is malformed: reset or refused, and never answered. */
  | { readonly kind: "refused"; readonly question: Question }
  /** Its client does not wait for an answer; one that comes is right all the same. */
  | { readonly kind: "given up"; readonly question?: Question };

/** A request: frames that belong together are one piece. */
export interface StreamShape {
  readonly name: string;
  readonly pieces: (stream: number) => readonly Buffer[];
  readonly expected: Expected;
}

/** A shape without its name. */
export type Made = Omit<StreamShape, "name">;
/** A shape to be made. */
export type Row = readonly [name: string, make: (random: Random) => Made];

/** How a header block is written: by which forms, in how many frames, with what around it. */
export function headers(random: Random, stream: number, fields: readonly Field[], endsStream: boolean): Buffer {
  const form = random.pick<Form>(["plain", "remembered", "never"]);
  const resized = random.chance(0.1) ? integer(random.whole(4097), 5, 0x20) : Buffer.alloc(0);
  return inFrames(random, stream, Buffer.concat([resized, ...fields.map((field) => writeField(field, form))]), endsStream);
}

/** Splits a block over HEADERS and CONTINUATION, with padding and a priority. */
function inFrames(random: Random, stream: number, block: Buffer, endsStream: boolean): Buffer {
  const [padding, hasPriority] = [random.chance(0.2) ? random.whole(256) : undefined, random.chance(0.2)];
  const ends = random.chance(0.4) ? random.several(1, 5, () => random.whole(block.length + 1)).toSorted((a, b) => a - b) : [];
  const parts = [0, ...ends].map((from, at) => block.subarray(from, ends[at] ?? block.length));
  const [first = block, ...rest] = parts;
  const flag =
    (endsStream ? flags.endStream : 0) |
    (rest.length === 0 ? flags.endHeaders : 0) |
    (padding === undefined ? 0 : flags.padded) |
    (hasPriority ? flags.priority : 0);
  const payload = Buffer.concat([
    ...(padding === undefined ? [] : [Buffer.of(padding)]),
    ...(hasPriority ? [word(random.pick([0, 0x80000000, stream + 2])), Buffer.of(random.whole(256))] : []),
    first,
    Buffer.alloc(padding ?? 0),
  ]);
  return Buffer.concat([
    frame(types.headers, flag, stream, payload),
    ...rest.map((more, at) => frame(types.continuation, at === rest.length - 1 ? flags.endHeaders : 0, stream, more)),
  ]);
}

/** A body in DATA frames of any lengths, some empty, some padded; the last one ends the stream, or trailers do. */
export function body(random: Random, stream: number, bytes: Buffer): readonly Buffer[] {
  const ends = random.chance(0.5) ? random.several(0, 4, () => random.whole(bytes.length + 1)).toSorted((a, b) => a - b) : [];
  const parts = [0, ...ends].map((from, at) => bytes.subarray(from, ends[at] ?? bytes.length));
  const endsWith = random.weigh<"data" | "empty" | "trailers">([
    [6, () => "data"],
    [1, () => "empty"],
    [1, () => "trailers"],
  ]);
  const written = parts.map((each, at) => {
    const flag = endsWith === "data" && at === parts.length - 1 ? flags.endStream : 0;
    if (random.chance(0.8)) return frame(types.data, flag, stream, each);
    const padding = random.whole(256);
    return frame(types.data, flag | flags.padded, stream, Buffer.concat([Buffer.of(padding), each, Buffer.alloc(padding)]));
  });
  if (endsWith === "empty") return [...written, frame(types.data, flags.endStream, stream)];
  if (endsWith === "trailers") return [...written, headers(random, stream, [["x-more", "y"]], true)];
  return written;
}

/** The path of checks. */
export const check = "/authz.svc.v1.AuthzService/CheckResources";
/** The headers of a call of gRPC. */
export const grpcHead = (path: string, ...more: readonly Field[]): readonly Field[] => [
  [":method", "POST"],
  [":scheme", "http"],
  [":path", path],
  [":authority", "a"],
  ["content-type", "application/grpc"],
  ["te", "trailers"],
  ...more,
];
/** The same with another value somewhere. */
export const changed = (fields: readonly Field[], name: string, value: string): readonly Field[] =>
  fields.map((field) => (field[0] === name ? [name, value] : field));

/** A request with or without a body. */
export function stream(random: Random, fields: readonly Field[], bytes: Buffer | undefined, expected: Expected): Made {
  return {
    expected,
    pieces: (id) =>
      bytes === undefined ? [headers(random, id, fields, true)] : [headers(random, id, fields, false), ...body(random, id, bytes)],
  };
}

/** Resets a stream after any of its pieces; some windows are opened before, some after. */
export function givenUp(random: Random, { pieces, expected }: Made): Made {
  const question = "question" in expected ? expected.question : undefined;
  return {
    expected: { kind: "given up", ...(question !== undefined && { question }) },
    pieces: (id) => {
      const all = pieces(id);
      const reset = frame(types.reset, 0, id, word(random.pick([0, 2, 7, 8, 99])));
      const kept = all.slice(0, 1 + random.whole(all.length));
      if (random.chance(0.3)) return [Buffer.concat([...kept, reset])];
      return [...kept, ...(random.chance(0.2) ? [frame(types.window, 0, id, word(1))] : []), reset];
    },
  };
}
