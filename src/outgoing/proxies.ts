/** Determines through which proxy a URL is asked: the environment names it, as `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
import { BlockList, isIP } from "node:net";
import { unescape } from "node:querystring";
import { isLoopback } from "../config/bundle-address.ts";
import { environment, type Environment } from "../config/environment.ts";
import { refusal } from "../refusal.ts";

/** A proxy. */
export interface HttpProxy {
  /** Without credentials. */
  readonly url: URL;
  /** The value of the `proxy-authorization` header; undefined: none is sent. */
  readonly authorization: string | undefined;
  /** Its host and port, and the variable that names it, for messages. */
  readonly name: string;
  readonly variable: string;
}

/**
 * Returns the proxy for a URL; undefined when it is asked directly, as this machine always is. Upper case counts before lower case. The
 * variables are read for each request. Throws a refusal when one does not hold the address of a proxy; the value is not quoted, because
 * it may hold a password.
 */
export function proxyOf(target: URL, variables: Environment = environment): HttpProxy | undefined {
  const upper = target.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const variable = [upper, upper.toLowerCase()].find((name) => (variables[name] ?? "") !== "");
  if (variable === undefined || isDirect(target, variables["NO_PROXY"] || variables["no_proxy"] || "")) return undefined;
  const url = addressIn(variables[variable] ?? "");
  if (url === undefined)
    throw refusal(
      `the environment variable ${variable} is not the address of a proxy: write http://HOST:PORT or https://HOST:PORT, with NAME:PASSWORD@ before the host where it asks for them`,
    );
  const { username, password } = url;
  const authorization =
    username === "" && password === ""
      ? undefined
      : `Basic ${Buffer.from(`${unescape(username)}:${unescape(password)}`).toString("base64")}`;
  url.username = url.password = "";
  return { url, authorization, name: `the proxy ${url.host} (${variable})`, variable };
}

function addressIn(value: string): URL | undefined {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
}

/** Returns whether a URL is excepted from proxies: by name, by domain, by address, by network, each with a port or without; or by `*`. */
function isDirect(target: URL, exceptions: string): boolean {
  const host = target.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (isLoopback(target.hostname)) return true;
  const port = target.port === "" ? (target.protocol === "https:" ? "443" : "80") : target.port;
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/)
    .some((exception) => exception === "*" || isInNetwork(host, exception) || isNamed(host, port, exception));
}

function isInNetwork(host: string, exception: string): boolean {
  const [, network = "", prefix = ""] = /^([\da-f.:]+)\/(\d{1,3})$/.exec(exception) ?? [];
  const [kind, hostKind] = [isIP(network), isIP(host)];
  if (kind === 0 || hostKind === 0 || Number(prefix) > (kind === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), kind === 4 ? "ipv4" : "ipv6");
  return list.check(host, hostKind === 4 ? "ipv4" : "ipv6");
}

function isNamed(host: string, port: string, exception: string): boolean {
  const [, bracketed, plain, itsPort] = /^(?:\[([\da-f.:]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(exception) ?? [];
  const name = bracketed ?? plain ?? (isIP(exception) === 6 ? exception : "");
  if (name === "" || (itsPort !== undefined && itsPort !== port)) return false;
  if (isIP(name) !== 0 || isIP(host) !== 0) return isIP(name) === isIP(host) && isInNetwork(host, `${name}/${isIP(name) === 4 ? 32 : 128}`);
  // `example.com` excepts what is below it as well, `.example.com` and `*.example.com` only that.
  const domain = name.replace(/^\*?\./, "");
  return host.endsWith(`.${domain}`) || (domain === name && host === domain);
}
