/** What describes messages is read by no start and no usual check; later all of it is, and nobody waits for it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openClient } from "../../src/server/probe-grpc.ts";
import { eventually, temporaryFolder } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { startProgram } from "./process.ts";
import { requestMessage, requestText, type Asked } from "./request-message.ts";

const folder = temporaryFolder({ "policies/expense.yaml": expensePolicy });
const list = join(folder, "read");
/** Has the script note each description that it reads. */
const noting = join(folder, "noting.cjs");
writeFileSync(
  noting,
  `const vm = require("node:vm");
vm.Script = class extends vm.Script {
  constructor(text, { cachedData, ...options }) {
    const note = (opening, path) => opening + 'require("node:fs").appendFileSync(${JSON.stringify(list)}, ' + JSON.stringify(path + "\\n") + ");";
    super(text.replaceAll(/"described:([^"]+)"\\(\\w*\\) \\{/g, note), options);
  }
};
`,
);
const read = (): readonly string[] => (existsSync(list) ? readFileSync(list, "utf8").trim().split("\n") : []);

const flags = ["httpListenAddr", "grpcListenAddr"].map((name) => `--set=server.${name}=127.0.0.1:0`);
const run = startProgram(["server", ...flags], { cwd: folder, nodeOptions: ["--require", noting] });
afterAll(() => void run.process.kill("SIGKILL"));

const question: Asked = {
  principal: { id: "ann", roles: ["user"] },
  resources: [{ actions: ["view"], resource: { kind: "expense", id: "e1" } }],
};
const addressOf = async (name: "HTTP" | "gRPC"): Promise<number> => {
  const served = new RegExp(`${name} is served at 127\\.0\\.0\\.1:(\\d+)`);
  const { stdout } = await eventually(run.output, (output) => served.test(output.stdout));
  return Number(served.exec(stdout)?.[1]);
};

test("none at the start and for usual checks, and in the end that of the services", async () => {
  const [http, grpc] = [await addressOf("HTTP"), await addressOf("gRPC")];
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${http}/api/check/resources`, { method: "POST", headers, body: requestText(question) });
  expect(await answer.text()).toContain("EFFECT_ALLOW");
  const client = openClient({ address: { kind: "tcp", host: "127.0.0.1", port: grpc } });
  const message = await new Promise<string>((resolve, reject) =>
    client.makeUnaryRequest(
      "/authz.svc.v1.AuthzService/CheckResources",
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes.toString("latin1"),
      requestMessage(question),
      (error, bytes) => (error === null ? resolve(bytes ?? "") : reject(error)),
    ),
  );
  client.close();
  expect(message).toContain("view");
  expect(read()).toEqual([]);
  await eventually(read, (paths) => paths.some((path) => path.endsWith("/google/rpc/status_pb.js")));
  expect(read()).toContain("proto/gen/authz/svc/v1/svc_pb.js");
});
