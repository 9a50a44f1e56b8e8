/** Asks a server the same over HTTP and over gRPC, with messages of our own making. */
import { fromBinary } from "@bufbuild/protobuf";
import { Effect } from "../../proto/gen/authz/effect/v1/effect_pb.js";
import { CheckResourcesResponseSchema } from "../../proto/gen/authz/response/v1/response_pb.js";
import type { TestServer } from "./harness.ts";
import { callRawGrpc } from "./raw-grpc.ts";
import { requestMessage, requestText, type Asked } from "./request-message.ts";

/** An answer, whichever way it came: the actions that are allowed, entry by entry, or why there is none. */
export interface Told {
  /** The gRPC code. */
  readonly code: number;
  readonly message: string;
  readonly allowed: readonly (readonly string[])[];
}

/** Asks over HTTP. */
export async function askHttp(server: TestServer, body: string | Uint8Array): Promise<Told> {
  const { status, json } = await server.post("/api/check/resources", body);
  if (status !== 200) return { code: json.code, message: json.message, allowed: [] };
  const allowed = json.results.map(({ actions }) =>
    Object.entries(actions).flatMap(([name, effect]) => (effect === "EFFECT_ALLOW" ? [name] : [])),
  );
  return { code: 0, message: "", allowed };
}

/** Asks over gRPC, with the bytes of a message. */
export async function askGrpc(server: TestServer, message: Uint8Array): Promise<Told> {
  const heard = await callRawGrpc(server, "/authz.svc.v1.AuthzService/CheckResources", message);
  const results = heard.status === "0" ? fromBinary(CheckResourcesResponseSchema, heard.bytes).results : [];
  const allowed = results.map(({ actions }) =>
    Object.entries(actions).flatMap(([name, effect]) => (effect === Effect.ALLOW ? [name] : [])),
  );
  return { code: Number(heard.status), message: heard.status === "0" ? "" : heard.message, allowed };
}

/** Asks both ways. */
export const askBoth = async (server: TestServer, asked: Asked): Promise<readonly [http: Told, grpc: Told]> => [
  await askHttp(server, requestText(asked)),
  await askGrpc(server, requestMessage(asked)),
];
