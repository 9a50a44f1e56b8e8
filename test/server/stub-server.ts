/** Both transports over a service whose answers come when a test wants. */
import { hashSync } from "bcryptjs";
import { loadConfig } from "../../src/config/load.ts";
import { printProblem } from "../../src/config/problem.ts";
import type { HttpExchange } from "../../src/observe/events.ts";
import { logTo } from "../../src/observe/log.ts";
import type { GetRequest } from "../../src/server/calls/call.ts";
import { openGrpc } from "../../src/server/grpc/grpc.ts";
import { openHealth } from "../../src/server/health.ts";
import { openHttp } from "../../src/server/http/http.ts";
import { failure } from "../../src/server/calls/reply.ts";
import type { Service } from "../../src/server/service.ts";
import { openUnreadResponses } from "../../src/server/unread-responses.ts";

/** What was asked, as text; "" where it could not be read. */
export function textOf(getRequest: GetRequest): string {
  const request = getRequest();
  return "text" in request ? request.text : "";
}

/** What a test sees of them. */
export interface StubServer {
  /** `http://127.0.0.1:<port>`; gRPC is answered there too. */
  readonly http: string;
  /** The exchanges that the metrics were told of. */
  readonly told: readonly HttpExchange[];
  /** The lines of the log. */
  readonly logged: readonly string[];
}

const passwordHash = Buffer.from(hashSync("secret", 4)).toString("base64");
const closers: (() => Promise<void>)[] = [];

/** Closes all that are open. */
export async function closeStubServers(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

/** Serves over both transports; what a service is not given it does not do. */
export async function openStubServer(service: Partial<Service>, settings: readonly string[] = []): Promise<StubServer> {
  const admin = ["server.adminAPI.enabled=true", `server.adminAPI.adminCredentials.passwordHash=${passwordHash}`];
  const { config, problems } = loadConfig(undefined, [...admin, ...settings], {});
  if (config === undefined) throw new Error(problems.map(printProblem).join("\n"));
  const [told, logged]: [HttpExchange[], string[]] = [[], []];
  const whole: Service = {
    call: () => failure("INTERNAL", "not to be asked"),
    listAuditLogEntries: async () => failure("INTERNAL", "not to be asked"),
    ...service,
  };
  const health = openHealth({ admin: true });
  const unread = openUnreadResponses();
  const log = logTo({ write: (line) => void logged.push(line) }, "debug");
  const grpc = openGrpc(config, { service: whole, health, unread, log });
  const metrics = {
    http: (exchange: HttpExchange) => void told.push(exchange),
    text: async () => "a_metric 1\n",
    contentType: "text/plain",
  };
  const http = await openHttp(config, { service: whole, health, metrics, grpc, unread, log });
  const address = await http.listen({ name: "HTTP", setting: "", address: { kind: "tcp", host: "127.0.0.1", port: 0 }, fileMode: 0 });
  closers.push(async () => void (await Promise.all([http.close(100), grpc.close(100)])));
  return { http: `http://127.0.0.1:${address.kind === "tcp" ? address.port : 0}`, told, logged };
}
