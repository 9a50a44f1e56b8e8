/** HTTP/1.1 over TLS in records that come together, while answers are not taken: each request is answered, in order, on every Node. */
import { connect } from "node:net";
import { Duplex } from "node:stream";
import { rmSync } from "node:fs";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, temporaryFolder, type TestServer } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { statuses } from "./raw.ts";
import { authority } from "./tls-client.ts";

const own = authority.issue({ names: ["localhost"] });
const folder = temporaryFolder({ "own.pem": own.certificate, "own.key": own.key });
let server: TestServer;
beforeAll(async () => {
  const settings = { "server.tls.cert": `${folder}/own.pem`, "server.tls.key": `${folder}/own.key` };
  server = await startServer({ policies: { "expense.yaml": expensePolicy }, settings });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends each text as a record of its own, all of them in one packet; resolves with what was heard when the server has closed. */
function exchangeRecords(texts: readonly string[]): Promise<string> {
  const raw = connect({ host: "127.0.0.1", port: Number(new URL(server.http).port), noDelay: true });
  let held: Buffer[] | undefined;
  const between = new Duplex({
    read: () => raw.resume(),
    write: (part: Buffer, _encoding, done) => {
      if (held === undefined) raw.write(part, done);
      else {
        held.push(part);
        done();
      }
    },
  });
  raw.on("data", (part: Buffer) => void (between.push(part) || raw.pause())).on("end", () => between.push(null));
  return new Promise((resolve, reject) => {
    let heard = "";
    const socket = connectTls({ socket: between, ca: authority.certificate, servername: "localhost", ALPNProtocols: ["http/1.1"] });
    socket.setEncoding("latin1").on("data", (text: string) => void (heard += text));
    socket.on("error", reject).on("end", () => {
      raw.destroy();
      resolve(heard);
    });
    const send = async (): Promise<void> => {
      held = [];
      for (const text of texts) await new Promise((done) => socket.write(text, done));
      raw.write(Buffer.concat(held));
      held = undefined;
    };
    socket.on("secureConnect", () => void send());
  });
}

const long = "GET /schema/swagger.json HTTP/1.1\r\nhost: a\r\naccept-encoding: identity\r\n\r\n";
const health = "GET /_authz/health HTTP/1.1\r\nhost: a\r\n\r\n";
const last = "GET /_authz/health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";

test.each<readonly [sentence: string, texts: readonly string[], answers: number]>([
  ["requests whole", [...Array<string>(40).fill(long), health, health, last], 43],
  ["all in one", [[...Array<string>(40).fill(long), health, last].join("")], 42],
  ["requests in pieces", [...`${long.repeat(40)}${health}${last}`.matchAll(/[^]{1,50}/g)].map(([text]) => text), 42],
])("%s", async (_sentence, texts, answers) => {
  expect(statuses(await exchangeRecords(texts))).toEqual(Array<number>(answers).fill(200));
});
