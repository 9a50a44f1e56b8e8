/** A trial that is stuck ends with its server, whatever way that ends: nobody else would look after it. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bundleOf, rebuilt } from "../bundle/try-out.ts";
import { buildUngated, type UngatedServer } from "../bundle/ungated.ts";
import { eventually, temporaryFolder } from "../server/harness.ts";

const honest = bundleOf(`apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules: [{ actions: [view], effect: EFFECT_ALLOW, roles: [user] }]
`);
const stuck = rebuilt(honest, {
  program: () => `(rt, k) => {\nfor (;;) {}\nreturn [{ first: 0 }];\n}`,
});

let server: UngatedServer | undefined;
afterAll(() => {
  if (server?.isAlive() === true) process.kill(server.pid, "SIGKILL");
});

test("a server is killed in the middle of a trial that never ends", { timeout: 120_000 }, async () => {
  const ungated = await buildUngated();
  const file = join(temporaryFolder({}), "bundle.mjs");
  writeFileSync(file, ungated.writeBundle({ bundle: honest, schemas: new Map(), policies: 1 }));
  server = await ungated.start({
    "storage.driver": "bundle",
    "storage.bundle.path": file,
    "storage.bundle.allowUnsigned": "true",
    "storage.bundle.updatePollInterval": "100ms",
  });
  const { pid } = server;
  // The trial of the first bundle may still be about to end.
  await eventually(
    async () => childrenOf(pid),
    (children) => children.length === 0,
  );
  writeFileSync(`${file}.new`, ungated.writeBundle({ bundle: stuck, schemas: new Map(), policies: 1 }));
  renameSync(`${file}.new`, file);
  const [child = ""] = await eventually(
    async () => childrenOf(pid),
    (children) => children.length > 0,
  );
  // It has been given its bundle by then: that is what it was started for. A server that stands still ends nobody.
  await eventually(
    async () => processorSeconds(child),
    (seconds) => seconds > 0.02,
  );
  process.kill(pid, "SIGSTOP");
  await eventually(
    async () => processorSeconds(child),
    (seconds) => seconds > 2,
  );
  expect(isRunning(child)).toBe(true);
  process.kill(pid, "SIGKILL");
  await eventually(
    async () => isRunning(child),
    (running) => !running,
  );
});

function childrenOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")
        .split(" ")
        .filter((child) => child !== "");
    } catch {
      return []; // it ended meanwhile
    }
  });
}

/** What stands behind the name in its row: first the state, later the ticks. */
function fieldsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  } catch {
    return [];
  }
}
/** One that nobody has buried yet does not run. */
const isRunning = (pid: string): boolean => !["Z", "X", undefined].includes(fieldsOf(pid)[0]);
const processorSeconds = (pid: string): number => (Number(fieldsOf(pid)[11] ?? 0) + Number(fieldsOf(pid)[12] ?? 0)) / 100;
