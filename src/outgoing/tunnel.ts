/** Opens a connection to a server through a proxy (`CONNECT`, RFC 9110, section 9.3.6). */
import { request as requestPlain, type RequestOptions } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP, type Socket } from "node:net";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { codeOf, refusal } from "../refusal.ts";
import type { HttpProxy } from "./proxies.ts";
import { refuseStatus, UnreachableError } from "./unreachable-error.ts";

/** What a server has to show, and is shown. A proxy has to show the same, always, and is shown nothing. */
export type Trust = Pick<ConnectionOptions, "ca" | "minVersion" | "rejectUnauthorized" | "cert" | "key">;

/** Opens TLS to a server behind a proxy; rejects with a refusal that names the proxy when that does not connect. */
export async function openTunnel(proxy: HttpProxy, target: URL, trust: Trust, signal: AbortSignal): Promise<TLSSocket> {
  const socket = await connectThrough(proxy, `${target.hostname}:${target.port === "" ? 443 : target.port}`, trust, signal);
  return connect({ ...trust, socket, ...namesOf(target), ALPNProtocols: ["http/1.1"] });
}

/**
 * Returns the host that a certificate has to name. A server name cannot be an address (RFC 6066, section 3); and without one, Node
 * takes the `host` header for it, which is not the proxy's.
 */
function namesOf({ hostname }: URL): { readonly host: string; readonly servername: string } {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, servername: isIP(host) === 0 ? host : "" };
}

/** Returns the TLS options of a connection to a proxy. */
export const trustIn = ({ url }: HttpProxy, { ca, minVersion }: Trust): ConnectionOptions => ({
  ...namesOf(url),
  rejectUnauthorized: true,
  ...(ca !== undefined && { ca }),
  ...(minVersion !== undefined && { minVersion }),
});

function connectThrough(proxy: HttpProxy, authority: string, trust: Trust, signal: AbortSignal): Promise<Socket> {
  const options: RequestOptions = {
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...credentialsFor(proxy) },
    signal,
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const request =
      proxy.url.protocol === "https:"
        ? requestSecure(proxy.url, { ...options, ...trustIn(proxy, trust) })
        : requestPlain(proxy.url, options);
    // Whatever the status is.
    request.once("connect", ({ statusCode = 0 }, socket: Socket, head) => {
      // TLS notices the end of the connection; nobody else listens for its errors.
      socket.on("error", () => undefined);
      if (statusCode >= 200 && statusCode <= 299) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(
        refusalOf(proxy, statusCode) ?? refuseStatus(statusCode, `${proxy.name} does not connect to ${authority}: status ${statusCode}`),
      );
    });
    request.once("error", (error) => reject(unreachableProxy(proxy, error)));
    request.end();
  });
}

/** Returns the header with the proxy's credentials. */
export const credentialsFor = ({ authorization }: HttpProxy): { readonly "proxy-authorization"?: string } =>
  authorization === undefined ? {} : { "proxy-authorization": authorization };

/** Returns the refusal when a proxy asks for credentials, or for others; undefined at any other status. */
export const refusalOf = ({ name, variable, authorization }: HttpProxy, status: number): Error | undefined =>
  status !== 407
    ? undefined
    : refusal(
        authorization === undefined
          ? `${name} asks for credentials: write them into ${variable}, as in http://NAME:PASSWORD@HOST:PORT`
          : `${name} does not accept the credentials in ${variable}`,
      );

/** Returns the refusal when the connection to a proxy fails. */
export const unreachableProxy = ({ name }: HttpProxy, error: unknown): Error =>
  new UnreachableError(`${name} cannot be reached (${codeOf(error) ?? "unknown error"})`);
