/** Limits of the configuration: met exactly they are kept, and who is one beyond reads which setting it was. */
import { connect, type IncomingHttpHeaders } from "node:http2";
import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { toBinary, type MessageInitShape, create, type DescMessage } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CheckResourcesRequestSchema } from "../../proto/gen/authz/request/v1/request_pb.js";
import { startServer, type TestServer } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { framed } from "./protobuf.ts";
import { exchange } from "./raw.ts";

const most = { resources: 3, actions: 4, values: 1000, bytes: 20_000 } as const;
let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    policies: { "expense.yaml": expensePolicy },
    settings: {
      "server.requestLimits.maxResourcesPerRequest": most.resources,
      "server.requestLimits.maxActionsPerResource": most.actions,
      "server.requestLimits.maxValuesPerRequest": most.values,
      "server.advanced.grpc.maxRecvMsgSizeBytes": most.bytes,
      "server.advanced.http.readTimeout": "300ms",
    },
  });
});
afterAll(() => server.stop());

const encoded = <Schema extends DescMessage>(schema: Schema, asked: MessageInitShape<Schema>): Uint8Array =>
  toBinary(schema, create(schema, asked));
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

interface Size {
  readonly resources?: number;
  readonly actions?: number;
  readonly items?: number;
  readonly idLength?: number;
}
const asked = ({ resources = 1, actions = 1, items = 0, idLength = 1 }: Size) => ({
  requestId: "r".repeat(idLength),
  principal: { id: "ann", roles: ["user"], attr: { list: numbers(items) } },
  resources: numbers(resources).map((id) => ({
    actions: numbers(actions).map((action) => `a${action}`),
    resource: { kind: "expense", id: String(id) },
  })),
});
const json = (size: Size): string => JSON.stringify(asked(size));
const message = (size: Size): Uint8Array => {
  const { requestId, principal, resources } = asked(size);
  return encoded(CheckResourcesRequestSchema, {
    requestId,
    principal: {
      ...principal,
      attr: {
        list: {
          kind: {
            case: "listValue",
            value: { values: principal.attr.list.map((value) => ({ kind: { case: "numberValue" as const, value } })) },
          },
        },
      },
    },
    resources: resources.map(({ actions, resource: { kind, id } }) => ({ actions, resource: { kind, id } })),
  });
};

type Told = readonly [code: number, says: string];

async function overHttp(body: string, headers: Readonly<Record<string, string>> = { "content-type": "application/json" }): Promise<Told> {
  const answer = await server.post("/api/check/resources", body, headers);
  return answer.status === 200 ? [0, ""] : [answer.json.code, answer.json.message];
}

interface Written {
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** In so many frames. */
  readonly frames?: readonly Uint8Array[];
}

async function overGrpc(bytes: Uint8Array, { address = server.grpc, headers, frames = [framed(bytes)] }: Written = {}): Promise<Told> {
  const session = connect(address.includes("://") ? address : `http://${address}`);
  const stream = session.request({
    ":method": "POST",
    ":path": "/authz.svc.v1.AuthzService/CheckResources",
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });
  let told: Told = [-1, ""];
  const take = (sent: IncomingHttpHeaders): void => {
    const { "grpc-status": status, "grpc-message": says } = sent;
    if (status !== undefined) told = [Number(status), Number(status) === 0 ? "" : decodeURIComponent(String(says))];
  };
  stream
    .on("response", take)
    .on("trailers", take)
    .on("error", () => undefined);
  for (const part of frames) stream.write(part);
  stream.end().resume();
  await once(stream, "close");
  session.destroy();
  return told;
}

describe("what a check may hold", () => {
  // Beside the list: requestId, principal, its three fields, one role, one attribute, resources, an entry and its two fields, an
  // action, the resource and its two fields.
  const valuesBeside = 14;
  test.each<readonly [what: string, exact: Size, beyond: Size, says: string]>([
    [
      "resources",
      { resources: most.resources },
      { resources: most.resources + 1 },
      "the request asks about 4 resources, but at most 3 are allowed in one request (setting server.requestLimits.maxResourcesPerRequest)",
    ],
    [
      "actions",
      { actions: most.actions },
      { actions: most.actions + 1 },
      "`resources[0].actions` asks for 5 actions, but at most 4 are allowed for one resource (setting server.requestLimits.maxActionsPerResource)",
    ],
    [
      "values",
      { items: most.values - valuesBeside },
      { items: most.values - valuesBeside + 1 },
      "the request holds more than 1000 values: ask about fewer resources, or send fewer attributes (setting server.requestLimits.maxValuesPerRequest)",
    ],
  ])("%s", async (_what, exact, beyond, says) => {
    expect([await overHttp(json(exact)), await overGrpc(message(exact))]).toEqual([
      [0, ""],
      [0, ""],
    ]);
    expect([await overHttp(json(beyond)), await overGrpc(message(beyond))]).toEqual([
      [3, says],
      [3, says],
    ]);
  });
});

describe("bytes of a request", () => {
  const says = "the request is larger than 20000 bytes (setting server.advanced.grpc.maxRecvMsgSizeBytes)";
  const ofLength = (write: (size: Size) => string | Uint8Array, length: number): Size => {
    const guess = 18_000;
    return { idLength: guess + length - write({ idLength: guess }).length };
  };
  const [exact, beyond] = [message(ofLength(message, most.bytes)), message(ofLength(message, most.bytes + 1))];
  const chunks = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
  const inChunks = async (text: string): Promise<Told> => {
    const head = `POST /api/check/resources HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    const answer = await exchange(server.http, head + chunks(text));
    const body = bodyOf(answer) as { code?: number; message?: string };
    return [body.code ?? 0, body.message ?? ""];
  };

  test.each<readonly [way: string, ask: (bytes: number) => Promise<Told>]>([
    ["over HTTP, its length said", (bytes) => overHttp(json(ofLength(json, bytes)))],
    ["over HTTP, in chunks", (bytes) => inChunks(json(ofLength(json, bytes)))],
    [
      "over HTTP, the long way",
      (bytes) => overHttp(json(ofLength(json, bytes)), { "content-type": "application/json", accept: "application/json+pretty" }),
    ],
  ])("%s", async (_way, ask) => {
    expect([await ask(most.bytes), await ask(most.bytes + 1)]).toEqual([
      [0, ""],
      [8, says],
    ]);
  });

  test.each<readonly [way: string, exact: () => Promise<Told>, beyond: () => Promise<Told>]>([
    ["over gRPC", () => overGrpc(exact), () => overGrpc(beyond)],
    ["over gRPC on the HTTP port", () => overGrpc(exact, { address: server.http }), () => overGrpc(beyond, { address: server.http })],
    [
      "over gRPC, in two frames",
      () => overGrpc(exact, { frames: [framed(exact).subarray(0, 3), framed(exact).subarray(3)] }),
      () => overGrpc(beyond, { frames: [framed(beyond).subarray(0, 3), framed(beyond).subarray(3)] }),
    ],
    [
      "over gRPC, compressed",
      () => overGrpc(exact, { headers: { "grpc-encoding": "gzip" }, frames: [framed(gzipSync(exact), 1)] }),
      () => overGrpc(beyond, { headers: { "grpc-encoding": "gzip" }, frames: [framed(gzipSync(beyond), 1)] }),
    ],
    [
      "over gRPC, by another content type",
      () => overGrpc(exact, { headers: { "content-type": "application/grpc;x=y" } }),
      () => overGrpc(beyond, { headers: { "content-type": "application/grpc;x=y" } }),
    ],
    ["over gRPC, by what its prefix says", () => overGrpc(exact), () => overGrpc(exact, { frames: [framed(exact, 0, 2 ** 32 - 1)] })],
  ])("%s", async (_way, ask, askMore) => {
    expect([await ask(), await askMore()]).toEqual([
      [0, ""],
      [8, says],
    ]);
  });
});

test("who sends too slowly reads which settings say how long there is", async () => {
  const answer = await exchange(server.http, "POST /api/check/resources HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{");
  expect(answer).toContain("HTTP/1.1 408 ");
  expect(answer).toContain(
    '"the request took too long to arrive (settings server.advanced.http.readHeaderTimeout and server.advanced.http.readTimeout)"',
  );
});
