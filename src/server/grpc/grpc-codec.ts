/** Converts between the bytes of gRPC messages and the JSON that the service speaks, both ways, and encodes the details of errors. */
import {
  createRegistry,
  fromBinary,
  fromJson,
  fromJsonString,
  toBinary,
  toJson,
  type DescMessage,
  type DescService,
  type JsonObject,
  type JsonValue,
  type Registry,
} from "@bufbuild/protobuf";
import { Metadata, status, type MethodDefinition, type ServiceDefinition, type StatusObject } from "@grpc/grpc-js";
import { cutWithDots } from "../../../runtime/cut.ts";
import { DeletePolicyErrorDetailsSchema, DisablePolicyErrorDetailsSchema } from "../../../proto/gen/authz/response/v1/response_pb.js";
import { ViolationsSchema } from "../../../proto/gen/buf/validate/violations_pb.js";
import { StatusSchema } from "../../../proto/gen/google/rpc/status_pb.js";
import { tooManyValues } from "../../../runtime/wire/request.ts";
import { maximumDepth } from "../../../runtime/wire/scan.ts";
import { messageOf } from "../../refusal.ts";
import type { CallRequest } from "../calls/call.ts";
import { deepestMessage, holdsMoreFieldsThan } from "../calls/count-fields.ts";
import { jsonToMessage } from "../calls/json-to-message.ts";
import { wireFormatErrorOf } from "../calls/wire-format.ts";
import { messageToJson } from "../calls/message-to-json.ts";
import { notJsonIn } from "../calls/not-json.ts";
import { printJson } from "../calls/print-json.ts";
import { codeName, codes, failure, type Reply } from "../calls/reply.ts";

let ofDetails: Registry | undefined;
/** The message types that the details of an error may have. */
const registry = (): Registry =>
  (ofDetails ??= createRegistry(ViolationsSchema, DisablePolicyErrorDetailsSchema, DeletePolicyErrorDetailsSchema));

/**
 * The limits in bytes for an error's message, percent-encoded, and for this and its details in base64. They travel in trailers, and the
 * clients of many languages refuse trailers of more than 8 KiB together, whatever they say: the rest is for names and other trailers.
 */
const [maxMessageBytes, maxErrorBytes] = [2048, 7680] as const;

/** Returns a service definition for grpc-js in which messages stay encoded. */
export function bytesService(service: DescService): ServiceDefinition {
  const same = (bytes: Buffer): Buffer => bytes;
  return Object.fromEntries(
    service.methods.map((method): [string, MethodDefinition<Buffer, Buffer>] => [
      method.name,
      {
        path: `/${service.typeName}/${method.name}`,
        requestStream: method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming",
        responseStream: method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming",
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: same,
        responseDeserialize: same,
      },
    ]),
  );
}

/** Unknown fields are skipped: we do not use them, and keeping them costs more than decoding known ones. */
const reading = { readUnknownFields: false, recursionLimit: deepestMessage } as const;

/** Converts an encoded request to JSON, or returns a refusal when it is malformed or holds more than `maxValues` values. */
export function requestText(schema: DescMessage, bytes: Buffer, maxValues = Infinity): CallRequest {
  if (holdsMoreFieldsThan(schema, bytes, maxValues)) {
    const { code: number, message } = tooManyValues(maxValues);
    return { refused: { code: number, text: JSON.stringify({ code: number, message }) } };
  }
  const usual = messageToJson(schema, bytes);
  if (usual !== undefined) return { text: usual };
  const error = wireFormatErrorOf(schema, bytes);
  if (error !== undefined) return unreadable(schema, error);
  let message;
  try {
    message = fromBinary(schema, bytes, reading);
  } catch (error) {
    return unreadable(schema, isTooDeep(error) ? `nested deeper than ${maximumDepth} levels` : messageOf(error));
  }
  try {
    return { text: printJson(toJson(schema, message, { registry: registry() })), isGenerated: true };
  } catch (error) {
    const why = notJsonIn(message) ?? messageOf(error);
    return { refused: failure("INVALID_ARGUMENT", `the request holds a value that JSON cannot hold: ${why}`) };
  }
}

const unreadable = (schema: DescMessage, why: string): CallRequest => ({
  refused: { ...failure("INTERNAL", `the request is not a ${schema.typeName}: ${why}`), unreadable: true },
});

/** Returns whether the decoder stopped at its recursion limit; it reports that only in the message of the error. */
const isTooDeep = (error: unknown): boolean => messageOf(error).includes(`maximum recursion depth of ${deepestMessage} `);

/** Converts the JSON of a reply to bytes. */
export function replyBytes(schema: DescMessage, text: string): Buffer {
  return jsonToMessage(schema, text) ?? Buffer.from(toBinary(schema, fromJsonString(schema, text, { registry: registry() })));
}

/** Converts a failed reply to a gRPC status; its details are sent in `grpc-status-details-bin`. */
export function statusOf(reply: Reply): StatusObject {
  const metadata = new Metadata();
  const error: JsonObject = JSON.parse(reply.text);
  const message = messageIn(error);
  const details = Array.isArray(error["details"]) ? error["details"] : [];
  const bytes = details.length === 0 ? undefined : detailBytes({ ...error, message, details });
  if (bytes !== undefined) metadata.set("grpc-status-details-bin", bytes);
  return { code: status[codeName(reply.code)], details: message, metadata };
}

/** Returns the message of an error, cut so that it takes at most `maxMessageBytes` where it is percent-encoded. */
function messageIn({ message }: JsonObject): string {
  // `encodeURI` throws at a lone surrogate, which a request must not be able to bring about.
  const text = cutWithDots(typeof message === "string" ? message : "", maxMessageBytes).toWellFormed();
  let room = maxMessageBytes;
  let end = 0;
  for (const character of text) {
    room -= encodeURI(character).length;
    if (room < 0) return `${text.slice(0, end)}...`;
    end += character.length;
  }
  return text;
}

/** Encodes a google.rpc.Status. Lists in the details are shortened from the end, to as many elements as the message leaves room for. */
function detailBytes(error: JsonObject & { readonly message: string }): Buffer | undefined {
  const details = error["details"] ?? [];
  const room = ((maxErrorBytes - encodeURI(error.message).length) * 3) / 4; // of four characters of base64
  const encode = (kept: number): Uint8Array => {
    const status = { ...error, code: error["code"] ?? codes.UNKNOWN.code, details: withShorterLists(details, kept) };
    return toBinary(StatusSchema, fromJson(StatusSchema, status, { registry: registry(), ignoreUnknownFields: true }));
  };
  let best: Uint8Array | undefined;
  // The whole comes first, because it nearly always fits; then halves of what is in question.
  for (let [least, most, kept] = [0, longestList(details), longestList(details)]; least <= most; kept = Math.floor((least + most) / 2)) {
    let bytes;
    try {
      bytes = encode(kept);
    } catch {
      return undefined; // No message type is known for these details.
    }
    if (bytes.length <= room) [best, least] = [bytes, kept + 1];
    else most = kept - 1;
  }
  return best && Buffer.from(best);
}

/** The lists in error details that can be long. */
const longLists: ReadonlySet<string> = new Set(["violations", "descendants", "dependents"]);

function longestList(json: JsonValue): number {
  if (typeof json !== "object" || json === null) return 0;
  if (Array.isArray(json)) return Math.max(0, ...json.map(longestList));
  return Math.max(
    0,
    ...Object.entries(json).map(([name, value]) => (longLists.has(name) && Array.isArray(value) ? value.length : longestList(value))),
  );
}

function withShorterLists(json: JsonValue, most: number): JsonValue {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map((item) => withShorterLists(item, most));
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      longLists.has(name) && Array.isArray(value) ? value.slice(0, most) : withShorterLists(value, most),
    ]),
  );
}
