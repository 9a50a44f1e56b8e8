/** One gRPC call by hand, on a connection of its own: any path, any bytes, and what comes back as it came. */
import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";
import type { TestServer } from "./harness.ts";
import { framed } from "./protobuf.ts";

export interface RawAnswer {
  /** `grpc-status`. */
  readonly status: string;
  /** `grpc-message`, decoded. */
  readonly message: string;
  /** The reply's message; empty where there is none. */
  readonly bytes: Buffer;
}

export async function callRawGrpc(
  server: TestServer,
  path: string,
  message: Uint8Array,
  metadata: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  const session = connect(`http://${server.grpc}`);
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", ...metadata });
  const heard = { status: "", message: "" };
  const take = (headers: IncomingHttpHeaders): void => {
    heard.status ||= [headers["grpc-status"] ?? ""].flat().join();
    heard.message ||= decodeURIComponent([headers["grpc-message"] ?? ""].flat().join());
  };
  const parts: Buffer[] = [];
  stream
    .on("response", take)
    .on("trailers", take)
    .on("data", (bytes: Buffer) => parts.push(bytes))
    .on("error", () => undefined);
  stream.end(framed(message));
  await once(stream, "close");
  session.destroy();
  return { ...heard, bytes: Buffer.concat(parts).subarray(5) };
}
