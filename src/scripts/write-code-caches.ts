/**
 * The last step of a build: runs a sandbox, the compiler, a policy's tests, and a server with requests over HTTP and gRPC, and stores
 * V8's code cache of all that.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
import { compile } from "../../compiler/index.ts";
import { invariant } from "../../runtime/cel/error.ts";
import { openRealm } from "../../runtime/sandbox/realm.ts";
import { artefact, realmTexts } from "../artefact.ts";
import type { FromThread } from "../compile/compile-thread.ts";
import { compileThreadData } from "../compile/compile-thread-data.ts";
import { loadConfigOrThrow } from "../config/load.ts";
import { digest } from "../texts/digest.ts";
import { writeCodeCache } from "../code-cache.ts";
import { loadScript } from "./load-script.ts";
import { probeGrpc } from "../server/probe-grpc.ts";
import { optimiseLater } from "../process/optimise-later.ts";
import { disableMemoryReducer } from "../process/garbage-collection.ts";

const policy = `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: memo
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: R.attr.owner == P.id
`;
const suite = `
name: memos
principals:
  ann: { id: ann, roles: [user] }
resources:
  memo: { kind: memo, id: "1", attr: { owner: ann } }
tests:
  - name: owners view
    input: { principals: [ann], resources: [memo], actions: [view] }
    expected:
      - { principal: ann, resource: memo, actions: { view: EFFECT_ALLOW } }
`;
const request = {
  principal: { id: "ann", roles: ["user"] },
  resources: [{ actions: ["view"], resource: { kind: "memo", id: "1", attr: { owner: "ann" } } }],
};

const { guest, lockdown } = realmTexts();
const realm = openRealm({ guest, lockdown });
const { compiled } = compile([{ path: "memo.yaml", text: policy }], { digest });
invariant(compiled !== undefined, "the policy above compiles");
realm.load(JSON.stringify(compiled.bundle));
invariant(realm.checkResources(JSON.stringify(request), "", Date.now()).includes("EFFECT_ALLOW"), "the policy above allows");
const code = realm.code();
writeCodeCache(artefact("guest.code"), guest, code.guest);
writeCodeCache(artefact("lockdown.code"), lockdown, code.lockdown);

/** Requests a path until the server answers; returns the body. */
async function answerAt(socketPath: string, path: string, body?: string): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await new Promise((resolve, reject) => {
        const headers = { "content-type": "application/json" };
        const asked = httpRequest({ socketPath, path, method: body === undefined ? "GET" : "POST", headers, agent: false }, (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (piece: string) => void (text += piece));
          response.on("end", () => resolve(text));
        });
        asked.on("error", reject);
        asked.end(body);
      });
    } catch (error) {
      if (attempt === 1000) throw error;
      await sleep(20);
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), "authz-build-"));
const policies = join(folder, "policies");
mkdirSync(policies);
writeFileSync(join(policies, "memo.yaml"), policy);
writeFileSync(join(policies, "memo_test.yaml"), suite);

const authoring = loadScript("authoring-script");
let printed = "";
const print = (text: string): void => void (printed += text);
await authoring.exports.run(["compile", policies], { out: print, err: print, terminal: false, environment: {} });
invariant(printed.includes("1 test executed [1 OK]"), `the test above passes: ${printed}`);
optimiseLater()(); // as `main.ts` finds the engine's flags: V8 rejects code that was compiled under others
authoring.writeCodeCache();

const settings = {
  "server.workers": 1,
  "server.httpListenAddr": `unix:${join(folder, "http")}`,
  "server.grpcListenAddr": `unix:${join(folder, "grpc")}`,
  "storage.disk.directory": policies,
};
const flags = Object.entries(settings).map(([key, value]) => `--set=${key}=${value}`);

// The first start compiles; the second finds what the first has kept.
const compiling = loadScript("compile-script");
const { follow } = compiling.exports;
const work = compileThreadData(
  loadConfigOrThrow(undefined, [`storage.disk.directory=${policies}`, `compile.cacheDir=${join(folder, "cache")}`], {}).config,
);
for (let start = 0; start < 2; start++) {
  const { port1, port2 } = new MessageChannel();
  const firstOutcome = new Promise<void>((resolve) =>
    port2.on("message", ({ kind }: FromThread) => void (kind === "outcome" && resolve())),
  );
  await follow(work, port1);
  await firstOutcome;
  port1.close();
}
// And here as a server's thread has them.
disableMemoryReducer();
const optimiseAgain = optimiseLater();
compiling.writeCodeCache();
optimiseAgain();

const serving = loadScript("server-script");
const { run } = serving.exports;
const running = run(["server", "--log-level=error", ...flags]);
await Promise.race([answerAt(join(folder, "http"), "/_authz/health"), running]);
const answer = await answerAt(join(folder, "http"), "/api/check/resources", JSON.stringify(request));
invariant(answer.includes("EFFECT_ALLOW"), "the server answers as the realm does");
await probeGrpc({ address: { kind: "unix", path: join(folder, "grpc") }, timeout: 10_000 });
serving.writeCodeCache();
process.emit("SIGTERM");
invariant((await running) === 0, "the server stops when it is told to");
rmSync(folder, { recursive: true });
