/** Clients that ask the same in different ways: in one packet, cut into pieces, the long way, over HTTP/2 and gRPC, all at once or one by one. */
import { connect as connectHttp2, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import { fromBinary, toJson } from "@bufbuild/protobuf";
import { CheckResourcesResponseSchema } from "../../proto/gen/authz/response/v1/response_pb.js";
import type { Random } from "../agree/random.ts";
import type { TestServer } from "../server/harness.ts";
import { framed } from "../server/protobuf.ts";
import { openRaw } from "../server/raw.ts";

/** What came back: the reply as JSON, or the code of the failure. */
export type Heard = { readonly reply: Reply } | { readonly code: number; readonly message: string };

/** A reply as proto3 JSON. */
export interface Reply {
  readonly requestId?: string;
  readonly authzCallId: string;
  readonly results: readonly { readonly [field: string]: unknown }[];
}

const path = "/api/check/resources";

/** Asks all on one connection of HTTP/1.1, in as few packets as chance will have it. */
export async function askHttp1(random: Random, server: TestServer, bodies: readonly string[]): Promise<readonly Heard[]> {
  const bytes = Buffer.concat(bodies.map((body, at) => requestBytes(random, body, at === bodies.length - 1)));
  const cuts = random.chance(0.6) ? [] : random.several(1, 4, () => random.whole(bytes.length)).toSorted((left, right) => left - right);
  const connection = await openRaw(server.http);
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    connection.write(bytes.subarray(from, to));
    from = to;
    if (to < bytes.length) await new Promise((resolve) => setTimeout(resolve, random.pick([0, 1, 3])));
  }
  let rest = await connection.closed;
  return bodies.map(() => {
    const start = rest.indexOf("\r\n\r\n") + 4;
    const head = rest.slice(0, start);
    const end = start + Number(/content-length: (\d+)/i.exec(head)?.[1]);
    const text = Buffer.from(rest.slice(start, end), "latin1").toString("utf8");
    rest = rest.slice(end);
    return heard(Number(head.slice(9, 12)), text);
  });
}

function requestBytes(random: Random, body: string, isLast: boolean): Buffer {
  const bytes = Buffer.from(body);
  const long = random.chance(0.2) ? "?" : "";
  const head = `POST ${path}${long} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${isLast ? "connection: close\r\n" : ""}`;
  if (random.chance(0.8)) return Buffer.concat([Buffer.from(`${head}content-length: ${bytes.length}\r\n\r\n`), bytes]);
  const cut = random.whole(bytes.length);
  const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ length }) => length > 0);
  const written = chunks.map((chunk) => Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]));
  return Buffer.concat([Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`), ...written, Buffer.from("0\r\n\r\n")]);
}

function heard(status: number, text: string): Heard {
  const json = JSON.parse(text);
  return status === 200 ? { reply: json } : { code: json.code, message: json.message };
}

/** One connection of HTTP/2 to either port. */
export interface Http2Client {
  readonly asJson: (body: string) => Promise<Heard>;
  readonly asMessage: (message: Uint8Array) => Promise<Heard>;
  readonly close: () => void;
}

/** Opens it; the HTTP port speaks both. */
export function openHttp2(server: TestServer): Http2Client {
  const session = connectHttp2(server.http);
  return {
    asJson: async (body) => {
      const { headers, bytes } = await exchange(
        session,
        { ":method": "POST", ":path": path, "content-type": "application/json" },
        Buffer.from(body),
      );
      return heard(Number(headers[":status"]), bytes.toString("utf8"));
    },
    asMessage: async (message) => {
      const headers = {
        ":method": "POST",
        ":path": "/authz.svc.v1.AuthzService/CheckResources",
        "content-type": "application/grpc",
        te: "trailers",
      };
      const { headers: answered, bytes } = await exchange(session, headers, framed(message));
      const code = Number(answered["grpc-status"]);
      if (code !== 0) return { code, message: decodeURIComponent(String(answered["grpc-message"])) };
      const reply = toJson(CheckResourcesResponseSchema, fromBinary(CheckResourcesResponseSchema, bytes.subarray(5)));
      return { reply: reply as unknown as Reply };
    },
    close: () => session.destroy(),
  };
}

async function exchange(
  session: ClientHttp2Session,
  headers: IncomingHttpHeaders,
  body: Uint8Array,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }> {
  const stream = session.request(headers);
  const parts: Buffer[] = [];
  let answered: IncomingHttpHeaders = {};
  const take = (more: IncomingHttpHeaders): void => void (answered = { ...answered, ...more });
  stream
    .on("response", take)
    .on("trailers", take)
    .on("data", (bytes: Buffer) => parts.push(bytes));
  stream.end(body);
  await new Promise<void>((resolve, reject) => stream.on("close", resolve).on("error", reject));
  return { headers: answered, bytes: Buffer.concat(parts) };
}
