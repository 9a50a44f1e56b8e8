/** Load over gRPC, closed loop, by h2load: one connection for each body, because h2load sends only one. */
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { besideServer } from "./pin.ts";

/** Whether h2load is installed. */
export const canLoadGrpc = spawnSync("h2load", ["--version"]).error === undefined;

const path = "/authz.svc.v1.AuthzService/CheckResources";

/** Asks for so many seconds, and answers how many requests were answered; an error voids it. */
export async function loadGrpc(
  port: number,
  bodies: readonly string[],
  seconds: number,
  concurrency: number,
  wrapper: readonly string[] = besideServer,
): Promise<number> {
  const each = String(Math.max(1, Math.round(concurrency / bodies.length)));
  const outputs = await Promise.all(
    bodies.map(async (body) => {
      const words = [...wrapper, "h2load", "-t1", "-c1", `-m${each}`, `-D${seconds}`, "-d", body];
      const [command, ...rest] = [
        ...words,
        "-H",
        "content-type: application/grpc",
        "-H",
        "te: trailers",
        `http://127.0.0.1:${port}${path}`,
      ];
      return (await promisify(execFile)(command, rest)).stdout;
    }),
  );
  let requests = 0;
  for (const output of outputs) {
    const [, succeeded = "0", failed = "1"] = /(\d+) succeeded, (\d+) failed/.exec(output) ?? [];
    if (Number(failed) > 0) throw new Error(`h2load met errors:\n${output}`);
    requests += Number(succeeded);
  }
  return requests;
}
