/** Reads the metadata of a gRPC call as headers, and names the one header that we write ourselves. */
import type { Metadata } from "@grpc/grpc-js";
import type { CallHeaders } from "../calls/call.ts";

/** An internal header that carries the client's address to the handler of a stream; a value from the client is overwritten. */
export const peerHeader = "authz-peer";

/** Adapts gRPC metadata to `CallHeaders`. */
export const callHeadersOf = (metadata: Metadata): CallHeaders => ({
  get: (name) => textOf(metadata.get(name)[0]),
  entries: () =>
    Object.keys(metadata.getMap())
      .filter((name) => name !== peerHeader)
      .map((name) => [name, metadata.get(name).map((value) => textOf(value) ?? "")] as const),
});

/** Returns a metadata value as a string. Values of `-bin` headers are bytes; they become base64, as on the wire. */
function textOf(value: string | Buffer | undefined): string | undefined {
  return Buffer.isBuffer(value) ? value.toString("base64") : value;
}
