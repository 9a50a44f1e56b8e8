/** A reply to CheckResources that is encoded as protobuf already; its JSON is created only on demand. */
import { fromBinary, toJsonString } from "@bufbuild/protobuf";
import { CheckResourcesResponseSchema } from "../../../proto/gen/authz/response/v1/response_pb.js";
import { messageToJson } from "./message-to-json.ts";
import type { Reply } from "./reply.ts";

/** A reply that is encoded already. A class, because a getter in an object literal would be created anew for every reply. */
export class MessageReply implements Reply {
  readonly code = 0;
  /** The encoded message as a binary string, one byte per character. */
  readonly message: string;
  readonly resources?: number;
  readonly decisions?: string;

  constructor(message: string, resources: number | undefined, decisions: string | undefined) {
    this.message = message;
    if (resources !== undefined) this.resources = resources;
    if (decisions !== undefined) this.decisions = decisions;
  }

  get text(): string {
    const bytes = Buffer.from(this.message, "latin1");
    return (
      messageToJson(CheckResourcesResponseSchema, bytes) ??
      toJsonString(CheckResourcesResponseSchema, fromBinary(CheckResourcesResponseSchema, bytes))
    );
  }
}

const requestIdTag = 0x0a;
/** The longest request id that is read, in characters. */
const longestId = 256;

/** Returns the caller's request id from an encoded response, whose first field it is. */
export function requestIdIn(message: string): string | undefined {
  if (message.charCodeAt(0) !== requestIdTag) return undefined;
  const low = message.charCodeAt(1);
  const isLong = low >= 0x80;
  const length = isLong ? (low & 0x7f) | (message.charCodeAt(2) << 7) : low;
  const start = isLong ? 3 : 2;
  return length > longestId ? undefined : message.slice(start, start + length);
}
