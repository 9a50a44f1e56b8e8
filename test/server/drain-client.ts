/** A client that asks without pause over HTTP keep-alive and gRPC, and counts: was everything answered that it had sent before it was told to go? */
import { fromJsonString, toBinary } from "@bufbuild/protobuf";
import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { connect } from "node:net";
import { CheckResourcesRequestSchema } from "../../proto/gen/authz/request/v1/request_pb.js";
import { request } from "./policies.ts";

/** Who is asked, and how much. */
export interface DrainLoad {
  /** `127.0.0.1:3592`; absent: nobody. */
  readonly http?: string;
  readonly grpc?: string;
  /** Connections over each. */
  readonly connections: number;
  /** Requests a second over each. */
  readonly rate: number;
}

/** What came of it, over one transport. */
export interface DrainCount {
  /** Requests whose last byte was written before the server's FIN or GOAWAY was seen. */
  readonly sent: number;
  /** Those of them that got a whole answer. */
  readonly whole: number;
  /** What became of the others. */
  readonly lost: readonly string[];
  /** Connections that could not be opened, because nobody listened any more. */
  readonly refused: number;
}

/** A load under way. */
export interface RunningLoad {
  /** Answers so far; none before every connection has had its first. */
  readonly whole: () => number;
  /** Resolves when the server has closed every connection and takes no other. */
  readonly ended: Promise<{ readonly http: DrainCount; readonly grpc: DrainCount }>;
}

/** Begins to ask. */
export function startLoad({ http, grpc, connections, rate }: DrainLoad): RunningLoad {
  const overHttp = openCrowd(http, connections, rate, openHttpConnection);
  const overGrpc = openCrowd(grpc, connections, rate, openGrpcConnection);
  return {
    whole: () => (overHttp.stands() && overGrpc.stands() ? overHttp.count.whole + overGrpc.count.whole : 0),
    ended: Promise.all([overHttp.ended, overGrpc.ended]).then(([first, second]) => ({ http: first, grpc: second })),
  };
}

interface Counting {
  sent: number;
  whole: number;
  refused: number;
  readonly lost: string[];
}

interface Connection {
  /** Can another request be written now? */
  readonly free: () => boolean;
  readonly ask: () => void;
  /** Has it had an answer? */
  readonly served: () => boolean;
}

interface Crowd {
  readonly count: Counting;
  readonly stands: () => boolean;
  readonly ended: Promise<DrainCount>;
}

/** Opens a connection; `ended` is told when it is gone and whether it ever stood. */
type Open = (address: string, count: Counting, ended: (stood: boolean) => void) => Connection;

function openCrowd(address: string | undefined, size: number, rate: number, open: Open): Crowd {
  const count: Counting = { sent: 0, whole: 0, refused: 0, lost: [] };
  if (address === undefined) return { count, stands: () => true, ended: Promise.resolve(count) };
  const crowd = new Set<Connection>();
  const ended = new Promise<DrainCount>((resolve) => {
    const join = (): void => {
      const member: Connection = open(address, count, (stood) => {
        crowd.delete(member);
        if (!stood) count.refused += 1;
        else return join(); // told to come again, it comes again
        if (crowd.size > 0) return;
        clearInterval(timer);
        resolve(count);
      });
      crowd.add(member);
    };
    for (let at = 0; at < size; at += 1) join();
    const began = performance.now();
    let asked = 0;
    const timer = setInterval(() => {
      const due = ((performance.now() - began) * rate) / 1000;
      for (const member of crowd) {
        if (asked >= due) break;
        if (!member.free()) continue;
        member.ask();
        asked += 1;
        crowd.delete(member); // to the end of the line
        crowd.add(member);
      }
      asked = Math.max(asked, Math.floor(due) - rate); // what could not be asked in a second is not asked at all
    }, 1);
  });
  return { count, stands: () => [...crowd].every((member) => member.served()), ended };
}

const json = JSON.stringify(request);
const httpRequest = `POST /api/check/resources HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`;

function openHttpConnection(address: string, count: Counting, ended: (stood: boolean) => void): Connection {
  const [host = "", port = ""] = address.split(":");
  const socket = connect({ host, port: Number(port), noDelay: true });
  let [stood, waiting, told, served, received] = [false, false, false, false, ""];
  socket.on("connect", () => (stood = true));
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
    const head = received.indexOf("\r\n\r\n");
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
    if (head === -1 || received.length < head + 4 + length) return;
    if (received.startsWith("HTTP/1.1 200 ")) count.whole += 1;
    else count.lost.push(received.slice(0, 200));
    served = true;
    told = /\r\nconnection: close/i.test(received.slice(0, head));
    [waiting, received] = [false, received.slice(head + 4 + length)];
    if (told) socket.end();
  });
  socket.on("end", () => (told = true));
  socket.on("error", (error: NodeJS.ErrnoException) => {
    if (waiting) count.lost.push(`${error.code ?? error.message} after ${received.length} bytes`);
    waiting = false;
  });
  socket.on("close", () => {
    if (waiting) count.lost.push(`closed after ${received.length} bytes of an answer`);
    ended(stood);
  });
  return {
    free: () => stood && !waiting && !told,
    served: () => served,
    ask: () => {
      waiting = true;
      count.sent += 1;
      socket.write(httpRequest, "latin1");
    },
  };
}

const message = toBinary(CheckResourcesRequestSchema, fromJsonString(CheckResourcesRequestSchema, json));
const frame = Buffer.concat([Buffer.alloc(5), message]);
frame.writeUInt32BE(message.length, 1);
const maxStreams = 20;

function openGrpcConnection(address: string, count: Counting, ended: (stood: boolean) => void): Connection {
  const session: ClientHttp2Session = connectHttp2(`http://${address}`);
  let [stood, served, waiting] = [false, false, 0];
  session.on("connect", () => (stood = true));
  session.on("error", () => undefined); // its calls tell
  session.on("close", () => ended(stood));
  const ask = (): void => {
    const call = session.request({
      ":method": "POST",
      ":path": "/authz.svc.v1.AuthzService/CheckResources",
      "content-type": "application/grpc",
      te: "trailers",
    });
    let [bytes, status, unwritten] = [0, "no status", false];
    waiting += 1;
    count.sent += 1;
    call.on("data", (part: Buffer) => (bytes += part.length));
    call.on("response", (headers) => (status = String(headers["grpc-status"] ?? status)));
    call.on("trailers", (trailers) => (status = String(trailers["grpc-status"] ?? status)));
    // Node had not written it yet when it was told to open no more streams.
    call.on("frameError", () => (unwritten = true));
    call.on("error", () => undefined);
    call.on("close", () => {
      waiting -= 1;
      served = true;
      if (unwritten) count.sent -= 1;
      else if (status === "0" && bytes > 5) count.whole += 1;
      else count.lost.push(`${status}, ${bytes} bytes, reset with ${call.rstCode ?? 0}`);
    });
    call.end(frame);
  };
  return { free: () => stood && !session.closed && !session.destroyed && waiting < maxStreams, ask, served: () => served };
}
