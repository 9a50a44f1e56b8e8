/** Clients of HTTP/2 that go, whenever: nothing of their connections stays behind, at neither address. */
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { flags, frame, preface, settings, types } from "../frames/frame.ts";
import { writeField } from "../frames/hpack.ts";
import { makeAuthority } from "./certificates.ts";
import { eventually, temporaryFolder } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { startProgram, type Run } from "./process.ts";

interface Started {
  readonly program: Run;
  readonly ports: ReadonlyMap<string, number>;
  /** Sockets that it holds now. */
  readonly sockets: () => number;
}

async function start(settingsOf: readonly string[]): Promise<Started> {
  const folder = temporaryFolder({ "expense.yaml": expensePolicy });
  const all = [`storage.disk.directory=${folder}`, "server.httpListenAddr=127.0.0.1:0", "server.grpcListenAddr=127.0.0.1:0", ...settingsOf];
  const program = startProgram(["server", ...all.flatMap((each) => ["--set", each])]);
  const served = /(HTTP|gRPC) is served at \S+:(\d+)/g;
  await eventually(
    () => [...program.output().stdout.matchAll(served)],
    (found) => found.length === 2,
  );
  const ports = new Map([...program.output().stdout.matchAll(served)].map(([, name = "", port]) => [name, Number(port)]));
  const folderOf = `/proc/${program.process.pid}/fd`;
  const sockets = (): number =>
    readdirSync(folderOf).filter((name) => {
      try {
        return readlinkSync(`${folderOf}/${name}`).startsWith("socket:");
      } catch {
        return false;
      }
    }).length;
  return { program, ports, sockets };
}

const authority = makeAuthority();
const pair = authority.issue({ names: ["localhost"] });
const files = temporaryFolder({ "certificate.pem": pair.certificate, "key.pem": pair.key });
let plain: Started;
let encrypted: Started;
beforeAll(async () => {
  plain = await start([]);
  encrypted = await start([`server.tls.cert=${join(files, "certificate.pem")}`, `server.tls.key=${join(files, "key.pem")}`]);
});
afterAll(async () => {
  for (const { program } of [plain, encrypted]) {
    program.process.kill("SIGTERM");
    expect((await program.exited).code).toBe(0);
  }
});

const head = (path: string): Buffer =>
  Buffer.concat(
    (
      [
        [":method", "POST"],
        [":scheme", "http"],
        [":path", path],
        [":authority", "a"],
        ["content-type", "application/grpc"],
      ] as const
    ).map((field) => writeField(field)),
  );
const call = (path: string): Buffer => frame(types.headers, flags.endHeaders, 1, head(path));
const said: readonly (readonly [what: string, bytes: Buffer])[] = [
  ["who has said nothing yet", Buffer.alloc(0)],
  ["who has asked, and was answered", Buffer.concat([call("/a.B/C"), frame(types.data, flags.endStream, 1, Buffer.alloc(5))])],
  ["who has not asked to the end", call("/authz.svc.v1.AuthzService/CheckResources")],
  ["who watches", Buffer.concat([call("/grpc.health.v1.Health/Watch"), frame(types.data, flags.endStream, 1, Buffer.alloc(5))])],
];

test
  .runIf(process.platform === "linux")
  .each(["HTTP", "gRPC"].flatMap((face) => said.map(([what, bytes]) => [face, what, bytes] as const)))(
  "at the %s address: %s",
  async (face, _what, bytes) => {
    const { ports, sockets } = plain;
    const before = sockets();
    for (const how of ["ends", "goes"] as const) {
      const clients = Array.from({ length: 5 }, () => connect({ host: "127.0.0.1", port: ports.get(face) ?? 0, allowHalfOpen: true }));
      await Promise.all(
        clients.map(async (client) => {
          client.on("error", () => undefined);
          client.write(Buffer.concat([preface, settings(), bytes]));
          await once(client, "data");
          if (how === "ends") client.end();
          else client.destroy();
        }),
      );
      await eventually(sockets, (now) => now <= before, 10_000);
      for (const client of clients) client.destroy();
    }
  },
);

describe.runIf(process.platform === "linux")("over TLS", () => {
  /** Shakes hands, and breaks the connection off before it says a word. */
  const comeAndGo = (port: number): Promise<void> =>
    new Promise((resolve) => {
      const raw = connect({ host: "127.0.0.1", port }, () => {
        const client = connectTls({ socket: raw, ca: authority.certificate, servername: "localhost", ALPNProtocols: ["h2"] });
        client.on("error", () => undefined);
        client.on("secureConnect", () => setImmediate(() => raw.resetAndDestroy()));
      });
      raw.on("error", () => undefined).on("close", () => resolve());
    });
  const comeAndGoOften = async (port: number): Promise<void> => {
    for (let times = 0; times < 10; times++) await Promise.all(Array.from({ length: 10 }, () => comeAndGo(port)));
  };

  test.each(["HTTP", "gRPC"])("at the %s address: who breaks off right after the handshake", async (face) => {
    const { ports, sockets } = encrypted;
    const before = sockets();
    await comeAndGoOften(ports.get(face) ?? 0);
    await eventually(sockets, (now) => now <= before, 10_000);
  });

  test("a server that stops does not wait for them", async () => {
    const { program, ports } = await start([
      `server.tls.cert=${join(files, "certificate.pem")}`,
      `server.tls.key=${join(files, "key.pem")}`,
      "server.shutdownTimeout=30s",
    ]);
    await comeAndGoOften(ports.get("gRPC") ?? 0);
    const began = performance.now();
    program.process.kill("SIGTERM");
    expect((await program.exited).code).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
