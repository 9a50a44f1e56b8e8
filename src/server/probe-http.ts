/** Probes the health of a server over HTTP, as an orchestrator does. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { printAddress } from "../config/address.ts";
import { codeOf, refusal } from "../refusal.ts";
import { mainService } from "./health.ts";
import { contextOf, hostOf, reason, verificationOf, type Probe } from "./probe.ts";

/** The most bytes of a response that are read; a health response is shorter. */
const longestBody = 4096;

/** Probes over HTTP. Returns the body; rejects when the server does not serve. */
export function probeHttp(probe: Probe): Promise<string> {
  const target = printAddress(probe.address);
  const where = probe.address.kind === "unix" ? { socketPath: probe.address.path } : { host: probe.address.host, port: probe.address.port };
  const path = `/_authz/health?service=${mainService}`;
  return new Promise((resolve, reject) => {
    const options = { ...where, path, agent: false, signal: AbortSignal.timeout(probe.timeout) } as const;
    const { tls } = probe;
    const asked =
      tls === undefined
        ? requestHttp(options)
        : requestHttps({ ...options, ...contextOf(tls), ...verificationOf(tls, hostOf(probe.address)) });
    const failed = (error: Error): void =>
      reject(
        refusal(
          error.name === "AbortError" || error.name === "TimeoutError"
            ? `${target} did not answer within ${probe.timeout} ms`
            : `${target}: ${reason(error.message, probe.tls)}`,
        ),
      );
    asked.on("response", (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => void (body = `${body}${part}`.slice(0, longestBody)));
      response.on("end", () => {
        const { statusCode = 0 } = response;
        if (statusCode === 200 && isHealthy(body)) return resolve(body.trim());
        const what = statusCode === 200 ? "200, and nothing about its health" : statusCode;
        reject(refusal(`${target} answers ${what}: ${body.trim()}`));
      });
      response.on("error", (error) => failed(codeOf(error) === "ECONNRESET" ? new Error("the answer was cut off") : error));
    });
    // An upgrade emits neither a response nor an error.
    asked.on("upgrade", ({ statusCode = 0 }, socket) => {
      socket.destroy();
      reject(refusal(`${target} answers ${statusCode}`));
    });
    asked.on("error", failed);
    asked.end();
  });
}

/** Returns whether a response is one of our health endpoint: another program may listen at this address and answer 200 to everything. */
function isHealthy(body: string): boolean {
  try {
    const said: unknown = JSON.parse(body);
    return typeof said === "object" && said !== null && "status" in said && (said.status === "SERVING" || said.status === "UNKNOWN");
  } catch {
    return false;
  }
}
