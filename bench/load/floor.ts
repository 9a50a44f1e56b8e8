/** The floor that a server of Node cannot go below: a constant answer of the size of a real one, with nothing decided. */
import cluster from "node:cluster";
import { createServer } from "node:http";

const host = "127.0.0.1";
const answer = {
  requestId: "REQ_00000",
  results: ["XX125", "YY125", "ZZ125", "AA125", "BB125"].map((id) => ({
    resource: { id, kind: "leave_request_00000", policyVersion: "20210210" },
    actions: { approve: "EFFECT_DENY", "view:public": "EFFECT_ALLOW" },
  })),
  callId: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
};

/** fastify, which parses the request and sends a text that is there already. */
export async function serveFastify(port: number): Promise<void> {
  const { fastify } = await import("fastify");
  const text = JSON.stringify(answer);
  const app = fastify({ logger: false });
  app.get("/health", async () => "ok");
  app.post<{ Body: { readonly principal?: object } }>("/api/check/resources", (request, reply) => {
    if (request.body.principal === undefined) throw new Error("a principal is wanted");
    void reply.header("content-type", "application/json").send(text);
  });
  await app.listen({ port, host });
}

/** grpc-js, bytes in and bytes out, nothing decoded; the health is on the HTTP port. */
export async function serveGrpc(http: number, port: number): Promise<void> {
  const { Server, ServerCredentials } = await import("@grpc/grpc-js");
  const bytes = Buffer.from(encoded());
  const same = (of: Buffer): Buffer => of;
  const server = new Server();
  const how = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
  const CheckResources = { path: "/floor.Svc/CheckResources", requestStream: false, responseStream: false, ...how } as const;
  server.addService(
    { CheckResources },
    {
      CheckResources: (call: { readonly request: Buffer }, done: (error: Error | null, answered?: Buffer) => void) =>
        call.request.length < 10 ? done(new Error("a request is wanted")) : done(null, bytes),
    },
  );
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error) => (error === null ? resolve() : reject(error))),
  );
  createServer((_, response) => response.end("ok")).listen(http, host);
}

/** Has `serve` run in so many processes that share its ports, as Node's cluster module has it; in this one alone where one is wanted. */
export async function serveIn(processes: number, serve: () => Promise<void>): Promise<void> {
  if (processes === 1 || cluster.isWorker) return serve();
  for (let started = 0; started < processes; started++) cluster.fork();
}

/** The same answer in protobuf. */
function encoded(): readonly number[] {
  const varint = (number: number): readonly number[] => (number < 128 ? [number] : [(number & 127) | 128, ...varint(number >> 7)]);
  const field = (number: number, bytes: Iterable<number>): readonly number[] => {
    const all = [...bytes];
    return [(number << 3) | 2, ...varint(all.length), ...all];
  };
  const text = (number: number, value: string): readonly number[] => field(number, Buffer.from(value));
  const effect = (action: string, value: number): readonly number[] => field(2, [...text(1, action), 16, value]);
  const results = answer.results.flatMap(({ resource }) => {
    const about = field(1, [...text(1, resource.id), ...text(2, resource.kind), ...text(3, resource.policyVersion)]);
    return field(2, [...about, ...effect("approve", 2), ...effect("view:public", 1)]);
  });
  return [...text(1, answer.requestId), ...results];
}
