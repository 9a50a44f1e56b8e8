/** Ordinary clients, as libraries make them: each of their checks must be answered rightly, and in time. */
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { Agent, request as askPlain, type IncomingMessage } from "node:http";
import { Agent as TlsAgent, request as askTls } from "node:https";
import type { Random } from "../agree/random.ts";
import { makeQuestion, readJson, readMessage, type Question } from "./question.ts";
import type { Script } from "./script.ts";
import type { Place } from "./wire.ts";

/** The clients; each asks one check, and says what is wrong with its answer. */
export interface Ordinary {
  readonly asks: readonly (() => Promise<string | undefined>)[];
  readonly close: () => void;
}

/** Opens them: HTTP on a connection that is kept, gRPC on both ports. */
export function openOrdinary(place: (face: Script["face"]) => Place, patience: number, random: Random): Ordinary {
  const http = openHttp(place("http"));
  const grpcs = (["grpc", "http"] as const).map((face) => openGrpc(place(face)));
  const asks = [["HTTP", http.ask] as const, ["gRPC", grpcs[0]?.ask] as const, ["gRPC on the HTTP port", grpcs[1]?.ask] as const].map(
    ([way, ask]) =>
      async () => {
        const question = makeQuestion(random);
        const late = new Promise<string>((resolve) => setTimeout(resolve, patience, `no answer within ${patience} ms`).unref());
        const read = await Promise.race([late, ask?.(question).catch((error: unknown) => String(error)) ?? late]);
        return read === question.expected ? undefined : `over ${way}: \`${read}\` where \`${question.expected}\` is right`;
      },
  );
  return {
    asks,
    close: () => {
      http.close();
      for (const { close } of grpcs) close();
    },
  };
}

interface Asking {
  readonly ask: (question: Question) => Promise<string>;
  readonly close: () => void;
}

function openHttp({ to, authority }: Place): Asking {
  const where = "path" in to ? { socketPath: to.path } : to;
  const agent =
    authority === undefined ? new Agent({ keepAlive: true }) : new TlsAgent({ keepAlive: true, ca: authority, servername: "localhost" });
  return {
    ask: ({ json }) =>
      new Promise((resolve, reject) => {
        const options = { ...where, agent, method: "POST", path: "/api/check/resources", headers: { "content-type": "application/json" } };
        const request = (authority === undefined ? askPlain : askTls)(options, (response: IncomingMessage) => {
          let text = "";
          response.setEncoding("utf8").on("data", (part: string) => void (text += part));
          response.on("end", () => resolve(response.statusCode === 200 ? readJson(text) : `status ${response.statusCode}: ${text}`));
          response.on("error", reject);
        });
        request.on("error", reject);
        request.end(json);
      }),
    close: () => agent.destroy(),
  };
}

function openGrpc({ to, authority }: Place): Asking {
  const client = new Client(
    "path" in to ? `unix:${to.path}` : `${to.host}:${to.port}`,
    authority === undefined ? credentials.createInsecure() : credentials.createSsl(Buffer.from(authority)),
    {
      "grpc.use_local_subchannel_pool": 1,
      ...(authority !== undefined && { "grpc.ssl_target_name_override": "localhost" }),
    },
  );
  return {
    ask: ({ message }) =>
      new Promise((resolve) => {
        const done = (error: ServiceError | null, bytes?: Buffer): void =>
          resolve(error === null ? readMessage(bytes ?? Buffer.alloc(0)) : `status ${error.code}: ${error.details}`);
        client.makeUnaryRequest(
          "/authz.svc.v1.AuthzService/CheckResources",
          (bytes: Buffer) => bytes,
          (bytes: Buffer) => bytes,
          message,
          done,
        );
      }),
    close: () => client.close(),
  };
}
