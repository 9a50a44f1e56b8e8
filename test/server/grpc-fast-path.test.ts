/** Checks are answered on their stream or through grpc-js: whoever asks cannot tell which. */
import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { framed, part, tag, varint } from "./protobuf.ts";
import { requestMessage } from "./request-message.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    policies: { "expense.yaml": expensePolicy },
    settings: { "server.advanced.grpc.maxRecvMsgSizeBytes": 100_000, "server.requestLimits.maxValuesPerRequest": 1_000 },
  });
});
afterAll(() => server.stop());

interface Heard {
  readonly response: object;
  readonly trailers: object;
  readonly body: string;
}

/** What differs between two calls that are the same. */
const withoutDate = (headers: IncomingHttpHeaders): object => ({ ...headers, date: undefined });
const withoutCallId = (bytes: Buffer): string => bytes.toString("latin1").replace(/[0-9A-HJKMNP-TV-Z]{26}/g, "CALL");

async function ask(path: string, pieces: readonly Uint8Array[], headers: Readonly<Record<string, string>>): Promise<Heard> {
  const session = connect(`http://${server.grpc}`);
  const stream = session.request({ ":method": "POST", ":path": path, te: "trailers", ...headers });
  let [response, trailers]: [object, object] = [{}, {}];
  const parts: Buffer[] = [];
  stream
    .on("response", (came) => (response = withoutDate(came)))
    .on("trailers", (came) => (trailers = withoutDate(came)))
    .on("data", (bytes: Buffer) => parts.push(bytes))
    .on("error", () => undefined);
  for (const piece of pieces) {
    stream.write(piece);
    if (pieces.length > 1) await wait(20);
  }
  stream.end();
  await once(stream, "close");
  session.destroy();
  return { response, trailers, body: withoutCallId(Buffer.concat(parts)) };
}

const service = "/authz.svc.v1.AuthzService/";
const message = requestMessage({
  principal: { id: "ann", roles: ["user"], attr: [["team", { a: [1, null, true, "é"] }]] },
  resources: [
    { actions: ["view", "approve"], resource: { kind: "expense", id: "one", attr: [["amount", 5]] } },
    { actions: ["view"], resource: { kind: "expense", id: "two" } },
  ],
});
const many = requestMessage({
  principal: { id: "ann", roles: ["user"], attr: Array.from({ length: 5_000 }, (_, index) => [`a${index}`, true] as const) },
  resources: [{ actions: ["view"], resource: { kind: "expense", id: "one" } }],
});
const whole = framed(message);
const batch = Buffer.concat([
  part(2, Buffer.concat([part(1, "ann"), part(3, "user")])),
  part(3, Buffer.concat([part(1, "view"), part(2, Buffer.concat([part(1, "expense"), part(3, "one")]))])),
]);
const set = Buffer.concat([
  part(2, "view"),
  part(3, Buffer.concat([part(1, "ann"), part(3, "user")])),
  part(4, Buffer.concat([part(1, "expense"), part(3, Buffer.concat([part(1, "one"), part(2, "")]))])),
]);

/** It takes longer than 30 milliseconds until all of them are there. */
const late = [whole.subarray(0, 9), ...Array.from({ length: 4 }, () => Buffer.alloc(0)), whole.subarray(9)];

interface Case {
  readonly what: string;
  readonly pieces: readonly Uint8Array[];
  readonly status: string;
  readonly call?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const cases: readonly Case[] = [
  { what: "a check", pieces: [whole], status: "0" },
  { what: "a check of the second kind", call: "CheckResourceSet", pieces: [framed(set)], status: "0" },
  { what: "a check of the third kind", call: "CheckResourceBatch", pieces: [framed(batch)], status: "0" },
  { what: "one with the meta of its answer", pieces: [framed(Buffer.concat([tag(2, 0), varint(1), message]))], status: "0" },
  { what: "one that comes in two pieces", pieces: [whole.subarray(0, 50), whole.subarray(50)], status: "0" },
  { what: "one whose prefix comes first", pieces: [whole.subarray(0, 5), whole.subarray(5)], status: "0" },
  {
    what: "one that comes a byte at a time",
    pieces: [...Array.from(whole.subarray(0, 9), (byte) => Buffer.of(byte)), whole.subarray(9)],
    status: "0",
  },
  {
    what: "one with more behind its end, in pieces",
    pieces: [whole.subarray(0, 50), Buffer.concat([whole.subarray(50), whole])],
    status: "12",
  },
  {
    what: "one and a second in pieces",
    pieces: [whole.subarray(0, 50), whole.subarray(50), whole.subarray(0, 50), whole.subarray(50)],
    status: "12",
  },
  { what: "a length that is too long, in pieces", pieces: [Buffer.of(0, 0x80), Buffer.of(0, 0, 0)], status: "8" },
  {
    what: "one that says in pieces that it is compressed",
    pieces: [framed(message, 1).subarray(0, 4), framed(message, 1).subarray(4)],
    status: "0",
  },
  { what: "an empty message in pieces", pieces: [Buffer.alloc(2), Buffer.alloc(3)], status: "3" },
  { what: "one with a deadline far away", pieces: [whole], status: "0", headers: { "grpc-timeout": "1H" } },
  {
    what: "one with a deadline further away than a timer can run",
    pieces: [whole.subarray(0, 50), whole.subarray(50)],
    status: "0",
    headers: { "grpc-timeout": "720H" },
  },
  { what: "one whose deadline is no such thing", pieces: [whole], status: "13", headers: { "grpc-timeout": "soon" } },
  { what: "one that is not whole when its deadline comes", pieces: late, status: "4", headers: { "grpc-timeout": "30m" } },
  { what: "one with metadata", pieces: [whole], status: "0", headers: { "x-bin": "AAEC", "x-forwarded-for": "1.2.3.4" } },
  { what: "an empty message", pieces: [framed(Buffer.alloc(0))], status: "3" },
  { what: "a message that is none", pieces: [framed(Buffer.from([0x0a, 0x05, 0x61]))], status: "13" },
  { what: "a text that is none", pieces: [framed(part(1, Buffer.from([0xff])))], status: "13" },
  { what: "a value that is not set", pieces: [framed(part(3, part(4, Buffer.concat([part(1, "a"), part(2, "")]))))], status: "3" },
  { what: "too many values", pieces: [framed(many)], status: "3" },
  { what: "too long a message", pieces: [framed(Buffer.alloc(100_001))], status: "8" },
  { what: "a length that is too long", pieces: [framed(message, 0, 2 ** 31)], status: "8" },
  { what: "two messages at once", pieces: [Buffer.concat([whole, whole])], status: "12" },
  { what: "two messages one after the other", pieces: [whole, whole], status: "12" },
  { what: "a message that says it is compressed", pieces: [framed(message, 1)], status: "0" },
  { what: "a call that nobody knows", call: "CheckNothing", pieces: [whole], status: "12" },
];

describe("the answer is the same on the stream and through grpc-js", () => {
  test.each(cases)("$what", async ({ pieces, status, call = "CheckResources", headers }) => {
    const direct = await ask(service + call, pieces, { "content-type": "application/grpc", ...headers });
    // A content type that says how messages are written is left to grpc-js.
    const through = await ask(service + call, pieces, { "content-type": "application/grpc+other", ...headers });
    expect(direct).toEqual(through);
    expect({ ...direct.response, ...direct.trailers }).toMatchObject({ "grpc-status": status });
  });
});

test.each([
  ["without its message", []],
  ["within its message", [whole.subarray(0, 50)]],
  ["within the prefix of its message", [whole.subarray(0, 3)]],
])("a call that ends %s is refused with the same code", async (_what, pieces) => {
  for (const type of ["application/grpc", "application/grpc+other"]) {
    const { response, trailers } = await ask(`${service}CheckResources`, pieces, { "content-type": type });
    expect({ ...response, ...trailers }).toMatchObject({ "grpc-status": "12" });
  }
});

test("a message whose end does not come is answered when its deadline does", async () => {
  for (const type of ["application/grpc", "application/grpc+other"]) {
    const session = connect(`http://${server.grpc}`);
    const stream = session.request({ ":method": "POST", ":path": `${service}CheckResources`, "content-type": type, "grpc-timeout": "50m" });
    stream.on("error", () => undefined).write(whole);
    const [response]: IncomingHttpHeaders[] = await once(stream, "response");
    session.destroy();
    expect(response).toMatchObject({
      ":status": 200,
      "content-type": "application/grpc+proto",
      "grpc-status": "4",
      "grpc-message": "Deadline%20exceeded",
    });
    expect(response).not.toHaveProperty("authz-version");
  }
});

test.each([
  ["the rest of its message and a second one", [whole.subarray(50), whole]],
  ["what makes its message too long", [Buffer.alloc(200_000)]],
])("a call that has been answered when its deadline came is not answered again when there comes %s", async (_what, pieces) => {
  const session = connect(`http://${server.grpc}`);
  const headers = { "content-type": "application/grpc", "grpc-timeout": "20m" };
  const stream = session.request({ ":method": "POST", ":path": `${service}CheckResources`, ...headers });
  stream.on("error", () => undefined).resume();
  stream.write(whole.subarray(0, 50));
  await once(stream, "response");
  for (const piece of pieces) {
    stream.write(piece);
    await wait(20);
  }
  stream.close();
  session.destroy();
  // Whoever is answered twice is an uncaught error, which ends the process.
  const after = await ask(`${service}CheckResources`, [whole], { "content-type": "application/grpc" });
  expect(after.trailers).toMatchObject({ "grpc-status": "0" });
});

test("a caller who goes away before the end leaves nothing behind", async () => {
  const session = connect(`http://${server.grpc}`);
  const stream = session.request({ ":method": "POST", ":path": `${service}CheckResources`, "content-type": "application/grpc" });
  stream.on("error", () => undefined).write(whole);
  await wait(50);
  stream.close(8);
  await once(stream, "close");
  session.destroy();
  const after = await ask(`${service}CheckResources`, [whole], { "content-type": "application/grpc" });
  expect(after.trailers).toMatchObject({ "grpc-status": "0" });
});
