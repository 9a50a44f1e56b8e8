/** Reads the metadata of a gRPC call as headers, and names the one header that we write ourselves. */
import type { Metadata } from "@grpc/grpc-js";
import type { CallHeaders } from "../calls/call.ts";

/** The header by which a stream's handler learns who is at the other end; whatever the client put there is gone. */
export const peerHeader = "authz-peer";

/** Returns the metadata of a call as its headers. */
export const callHeadersOf = (metadata: Metadata): CallHeaders => ({
  get: (name) => textOf(metadata.get(name)[0]),
  entries: () =>
    Object.keys(metadata.getMap())
      .filter((name) => name !== peerHeader)
      .map((name) => [name, metadata.get(name).map((value) => textOf(value) ?? "")] as const),
});

/** Values of headers whose name ends in `-bin` are bytes; in text they are base64, as on the wire. */
function textOf(value: string | Buffer | undefined): string | undefined {
  return Buffer.isBuffer(value) ? value.toString("base64") : value;
}
