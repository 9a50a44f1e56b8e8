/** One HTTP request exactly as it is written: no header of its own making, no unpacking. */
import { request as requestHttp, type IncomingHttpHeaders } from "node:http";

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly body: string;
}

export function sendRaw(origin: string, { method, path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const asked = requestHttp({ hostname, port, method, path, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => void parts.push(part));
      response.on("end", () => {
        const bytes = Buffer.concat(parts);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, body: bytes.toString("utf8") });
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
