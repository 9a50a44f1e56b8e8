/** Pieces of a body are gathered whole and in order, however they are cut; and they cost little more than they have bytes. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Pieces } from "../../src/server/connections/pieces.ts";
import { eventually, temporaryFolder } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { startProgram, type Run } from "./process.ts";
import { openRaw, statuses } from "./raw.ts";

test("all bytes are there, in order, whenever they are asked for", () => {
  const size = fc.oneof(fc.nat(20), fc.constantFrom(0, 1, 511, 512, 4095, 4096, 4097, 16_384), fc.nat(20_000));
  fc.assert(
    fc.property(fc.array(fc.tuple(size, fc.boolean()), { maxLength: 60 }), (sizes) => {
      const pieces = new Pieces();
      let all = Buffer.alloc(0);
      for (const [at, [length, isAsked]] of sizes.entries()) {
        const piece = Buffer.alloc(length, at + 1);
        all = Buffer.concat([all, piece]);
        pieces.add(piece);
        expect(pieces.length).toBe(all.length);
        if (isAsked) expect(pieces.all().equals(all)).toBe(true);
      }
      expect(pieces.all().equals(all)).toBe(true);
    }),
  );
});

describe.runIf(process.platform === "linux")("a body in chunks of a byte does not fill the memory", () => {
  let run: Run;
  let address = "";
  beforeAll(async () => {
    const listens = ["http", "grpc"].map((kind) => `--set=server.${kind}ListenAddr=127.0.0.1:0`);
    run = startProgram(["server", `--set=storage.disk.directory=${temporaryFolder({ "expense.yaml": expensePolicy })}`, ...listens]);
    const said = await eventually(
      () => run.output().stdout,
      (text) => /HTTP is served at [^"]+"/.test(text),
    );
    address = /HTTP is served at ([^"]+)"/.exec(said)?.[1] ?? "";
  });
  afterAll(async () => {
    run.process.kill();
    await run.exited;
  });
  /** The most memory that the server has had so far, in megabytes. */
  const most = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${run.process.pid}/status`, "utf8"))?.[1]) / 1024;

  test.each([
    ["an ordinary check", "/api/check/resources"],
    ["a check that the framework answers", "/api/check/resources?pretty"],
  ])("of %s", async (_what, path) => {
    const before = most();
    const head = `POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    const { socket, closed } = await openRaw(address, head);
    const chunks = "1\r\n \r\n".repeat(10_000);
    for (let sent = 0; sent < 60; sent++) if (!socket.write(chunks)) await new Promise((resolve) => socket.once("drain", resolve));
    socket.write("2\r\n{}\r\n0\r\n\r\n");
    expect(statuses(await closed)).toEqual([400]);
    expect(most() - before).toBeLessThan(100);
  });
});
