/** Git's own `http-backend` as a request listener: requests become CGI, credentials are asked for. */
import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname } from "node:path";
import { gitEnvironment } from "./repository.ts";

/** What is served, and to whom. */
export interface BackendOptions {
  /** The folder that holds the repositories. */
  readonly root: string;
  /** Absent: everybody may read. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** `0` speaks the protocol of old servers, whatever is asked for. */
  readonly protocolVersion?: 0 | 2;
}

/** Makes the listener. */
export function gitBackend({
  root,
  credentials,
  protocolVersion = 2,
}: BackendOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const wanted = credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`;
  return (request, response) => {
    if (wanted !== undefined && request.headers.authorization !== wanted) {
      request.resume();
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end("who are you?\n");
      return;
    }
    const url = new URL(request.url ?? "/", "http://localhost");
    const asked = request.headers["git-protocol"];
    const child = spawn("git", ["http-backend"], {
      env: {
        ...gitEnvironment(dirname(root)),
        HOME: root,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: "1",
        REQUEST_METHOD: request.method,
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        ...(request.headers["content-length"] !== undefined && { CONTENT_LENGTH: request.headers["content-length"] }),
        ...(protocolVersion === 2 && typeof asked === "string" && { GIT_PROTOCOL: asked }),
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.on("error", () => undefined);
    request.pipe(child.stdin);
    response.on("close", () => void child.kill());
    child.on("error", () => response.destroy());
    answer(child.stdout, response);
  };
}

/** Turns what a CGI program prints into an answer. */
function answer(stdout: NodeJS.ReadableStream, response: ServerResponse): void {
  let head: Buffer | undefined = Buffer.alloc(0);
  stdout.on("data", (chunk: Buffer) => {
    if (head === undefined) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return;
    let status = 200;
    for (const line of head.subarray(0, end).toString().split("\r\n")) {
      const [name = "", value = ""] = line.split(/:\s*/, 2);
      if (name.toLowerCase() === "status") status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status);
    response.write(head.subarray(end + 4));
    head = undefined;
  });
  stdout.on("end", () => response.end());
}
