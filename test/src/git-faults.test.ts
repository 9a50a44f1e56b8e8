/** The git store when the network or the server does not do what it should: what is said, and what is kept. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { openGitFixture } from "../git/fixture.ts";
import { seen } from "../git/open-store.ts";
import type { GitServer, HttpFault } from "../git/server.ts";
import type { Fault } from "../git/faulty-proxy.ts";

const bench = openGitFixture();
const { open } = bench;
let server: GitServer;
const serve = async (options: Parameters<typeof bench.serve>[0]): Promise<void> => void (server = await bench.serve(options));

test.each<[string, Fault | HttpFault, string]>([
  ["nobody listens", { kind: "down" }, "it cannot be reached (ECONNREFUSED)"],
  ["nobody answers", { kind: "hang" }, "there is no answer within 100ms (setting storage.git.operationTimeout)"],
  ["connections are reset", { kind: "reset" }, "it cannot be reached (ECONNRESET)"],
  ["the answer breaks off in its head", { kind: "cut", after: 20 }, "ECONNRESET"],
  ["the answer breaks off later", { kind: "cut", after: 420 }, "ECONNRESET"],
  ["the answer stops in its head", { kind: "stall", after: 20 }, "within 100ms"],
  ["the pack breaks off", { kind: "cut", after: 40, inPack: true }, "the connection broke off before the answer was complete (ECONNRESET)"],
  ["the pack stops", { kind: "stall", after: 40, inPack: true }, "within 100ms"],
  ["a bit of the pack is another", { kind: "flip", at: 40, inPack: true }, "the pack is damaged: its checksum is wrong"],
  ["everything comes too late", { kind: "delay", milliseconds: 200 }, "within 100ms"],
  ["the credentials are refused", { kind: "status", status: 401 }, "status 401: the credentials are not accepted"],
  ["reading is forbidden", { kind: "status", status: 403 }, "status 403: the credentials are not accepted"],
  ["the repository is gone", { kind: "status", status: 404 }, "status 404: there is no such repository"],
  ["the server has broken down", { kind: "status", status: 503 }, "the server answers with status 503"],
  [
    "the server changes to another protocol",
    { kind: "status", status: 101, headers: { connection: "upgrade", upgrade: "websocket" } },
    "the server answers with status 101",
  ],
  ["the server serves pages", { kind: "garbage" }, "it is not a git repository served over HTTP"],
  [
    "the server serves pages as if git's",
    { kind: "garbage", contentType: "application/x-git-upload-pack-advertisement" },
    "the server does not speak the git protocol",
  ],
  [
    "the server serves a page without end",
    { kind: "garbage", contentType: "application/x-git-upload-pack-advertisement", bytes: 5_000_000 },
    "does not speak the git protocol",
  ],
])("when %s, that is said, nothing is taken in, and the next good poll mends it", async (_, fault, message) => {
  await serve({ files: { "a.yaml": "a1".repeat(100) } });
  const given = fault.kind === "hang" || fault.kind === "stall" || fault.kind === "delay" ? { operationTimeout: 100 } : {};
  const store = open();
  await store.read();
  await server.commit({ "a.yaml": "a2".repeat(100), "b.yaml": "b" });
  await server.setFault(fault);
  const impatient = open(given);
  // Who starts now has the last good copy, and says why it is that one.
  expect(await impatient.read()).toMatchObject({ changed: [{ text: "a1".repeat(100) }], staleBecause: expect.stringContaining(message) });
  for (const _again of [1, 2]) {
    const failure = await impatient.read().then(String, (error: unknown) => String(error));
    expect(failure).toContain(message);
    expect(failure).toMatch(/^Refusal: the git repository `http:/);
  }
  // Who starts without a copy has nothing.
  await expect(open({ ...given, checkoutDir: join(bench.cache(), "another") }).read()).rejects.toThrow(message);
  await server.setFault({ kind: "none" });
  const patient = open();
  expect(seen(await store.read())).toEqual({ changed: { "a.yaml": "200 characters", "b.yaml": "b" } });
  expect(seen(await patient.read())).toEqual({ changed: { "a.yaml": "200 characters", "b.yaml": "b" } });
});
