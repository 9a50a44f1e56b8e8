/** Clients of HTTP/2 that go, whenever: nothing of their connections stays behind, at neither address. */
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { flags, frame, preface, settings, types } from "../frames/frame.ts";
import { writeField } from "../frames/hpack.ts";
import { eventually, temporaryFolder } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { startProgram, type Run } from "./process.ts";

let program: Run;
const ports = new Map<string, number>();
beforeAll(async () => {
  const folder = temporaryFolder({ "expense.yaml": expensePolicy });
  const settingsOf = [`storage.disk.directory=${folder}`, "server.httpListenAddr=127.0.0.1:0", "server.grpcListenAddr=127.0.0.1:0"];
  program = startProgram(["server", ...settingsOf.flatMap((each) => ["--set", each])]);
  const served = /(HTTP|gRPC) is served at \S+:(\d+)/g;
  await eventually(
    () => [...program.output().stdout.matchAll(served)],
    (found) => found.length === 2,
  );
  for (const [, name = "", port] of program.output().stdout.matchAll(served)) ports.set(name, Number(port));
});
afterAll(async () => {
  program.process.kill("SIGTERM");
  expect((await program.exited).code).toBe(0);
});

const sockets = (): number => {
  const folder = `/proc/${program.process.pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;
};

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
