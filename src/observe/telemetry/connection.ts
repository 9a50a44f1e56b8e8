/** Reads the connection of one signal (traces or metrics) from its `OTEL_EXPORTER_OTLP_*` variables, with the general ones as defaults. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { cutWithDots } from "../../../runtime/cut.ts";
import { codeOf, messageOf } from "../../refusal.ts";
import type { Found, Variables } from "./variables.ts";

/** The signals. */
export type Signal = "traces" | "metrics";

/** The connection to a collector. */
export interface Connection {
  readonly protocol: Protocol;
  /** For HTTP the whole URL, with credentials; for gRPC host and port, or `unix:///path`. */
  readonly target: string;
  /** The endpoint without secrets, for the log. */
  readonly shown: string;
  /** Undefined: plaintext. */
  readonly tls: Tls | undefined;
  readonly headers: { readonly [name: string]: string };
  /** For one export with all its retries. */
  readonly timeoutMilliseconds: number;
  readonly gzip: boolean;
  /** Warnings for the operator. */
  readonly warnings: readonly string[];
}

/** TLS options of the connection. */
export interface Tls {
  /** Trusted instead of the authorities that Node knows. */
  readonly authority?: Buffer;
  readonly client?: { readonly certificate: Buffer; readonly key: Buffer };
  /** False: the certificate is not verified. */
  readonly verify: boolean;
}

const protocols = ["grpc", "http/protobuf"] as const;
type Protocol = (typeof protocols)[number];
const usualTimeout = 10_000;

/** Reads the connection of a signal; undefined when it has no endpoint or an invalid one, which is recorded as a mistake. */
export function readConnection(variables: Variables, signal: Signal): Connection | undefined {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_`;
  const find = (suffix: string): Found | undefined => variables.first(own + suffix, `OTEL_EXPORTER_OTLP_${suffix}`);
  const found = find("ENDPOINT");
  if (found === undefined) return undefined;

  const protocol = variables.choice(find("PROTOCOL"), protocols, "grpc");
  const insecure = find("INSECURE");
  const careless = variables.flag(insecure);
  const tls = readTls(variables, find, careless);
  const headers = readHeaders(variables, [variables.first("OTEL_EXPORTER_OTLP_HEADERS"), variables.first(`${own}HEADERS`)], protocol);
  const timeoutMilliseconds = variables.count(find("TIMEOUT"), usualTimeout);
  const gzip = variables.choice(find("COMPRESSION"), ["none", "gzip"], "none") === "gzip";

  const endpoint = protocol === "grpc" ? grpcEndpoint(found.value, careless) : httpEndpoint(found, own, signal);
  if (typeof endpoint === "string") {
    variables.mistake(found, endpoint);
    return undefined;
  }
  const { target, shown, secure } = endpoint;
  const unused = find("CERTIFICATE") ?? find("CLIENT_CERTIFICATE");
  const warnings = secure
    ? careless && insecure !== undefined
      ? [`insecure: ${insecure.name} is true: the certificate of ${shown} is not looked at; for development only`]
      : []
    : unused !== undefined
      ? [`${unused.name} is set, but ${shown} is reached without TLS: write https:// in ${found.name}`]
      : [];
  return { protocol, target, shown, tls: secure ? tls : undefined, headers, timeoutMilliseconds, gzip, warnings };
}

interface Endpoint {
  readonly target: string;
  readonly shown: string;
  readonly secure: boolean;
}

/** As the specification of OTLP exporters says, a connection without a scheme is secure unless INSECURE is set. */
function grpcEndpoint(text: string, insecure: boolean): Endpoint | string {
  if (/^unix:\/\/\/./.test(text)) return { target: text, shown: text, secure: false };
  const schemeless = !/^[a-z][\w+.-]*:\/\//i.test(text);
  const url = parseUrl(schemeless ? `${insecure ? "http" : "https"}://${text}` : text);
  if (url === undefined) return "is not an endpoint: write http://host:port, https://host:port or unix:///path";
  if (url.username !== "" || url.password !== "")
    return "has credentials, which gRPC does not send: write them into OTEL_EXPORTER_OTLP_HEADERS";
  const secure = url.protocol === "https:";
  const target = `${url.hostname}:${url.port === "" ? (secure ? 443 : 80) : url.port}`;
  return { target, shown: `${url.protocol}//${url.host}`, secure };
}

/** The general endpoint is a base URL, to which each signal appends its path; a signal's own endpoint is used as it is. */
function httpEndpoint(found: Found, own: string, signal: Signal): Endpoint | string {
  const url = parseUrl(found.value);
  if (url === undefined) return "is not a URL: write http://host:port/path or https://host:port/path";
  if (!found.name.startsWith(own)) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/${signal}`;
  return { target: url.href, shown: `${url.origin}${url.pathname}`, secure: url.protocol === "https:" };
}

function parseUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "" ? url : undefined;
}

function readHeaders(variables: Variables, found: readonly (Found | undefined)[], protocol: Protocol): Connection["headers"] {
  const headers = new Map<string, string>();
  for (const one of found) {
    for (const [written, value] of variables.pairs(one)) {
      const name = written.toLowerCase();
      if (one !== undefined && !(/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value)))
        variables.mistake(one, `has a pair that cannot be a header: \`${brief(name)}\``);
      else if (one !== undefined && protocol === "grpc" && (name.endsWith("-bin") || name.startsWith("grpc-")))
        variables.mistake(one, `has the header \`${brief(name)}\`, which gRPC keeps for other ends`);
      else headers.set(name, value);
    }
  }
  return Object.fromEntries(headers);
}

const brief = (text: string): string => cutWithDots(text, 61);

function readTls(variables: Variables, find: (suffix: string) => Found | undefined, careless: boolean): Tls {
  const [authority, certificate, key] = ["CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"].map((suffix) => {
    const found = find(suffix);
    return found === undefined ? undefined : { found, pem: readPem(variables, found) };
  });
  if (certificate !== undefined && key === undefined)
    variables.mistake(certificate.found, "is set without its private key: set the variable that ends in CLIENT_KEY too");
  if (key !== undefined && certificate === undefined)
    variables.mistake(key.found, "is set without its certificate: set the variable that ends in CLIENT_CERTIFICATE too");
  if (authority?.pem !== undefined && !usable({ ca: authority.pem }))
    variables.mistake(authority.found, "names a file without a PEM certificate");
  const client = certificate?.pem === undefined || key?.pem === undefined ? undefined : { certificate: certificate.pem, key: key.pem };
  if (client !== undefined && certificate !== undefined && !usable({ cert: client.certificate, key: client.key }))
    variables.mistake(certificate.found, `and ${key?.found.name} are not a PEM certificate and its private key`);
  return {
    verify: !careless,
    ...(authority?.pem !== undefined && { authority: authority.pem }),
    ...(client !== undefined && { client }),
  };
}

function readPem(variables: Variables, found: Found): Buffer | undefined {
  try {
    return readFileSync(found.value);
  } catch (error) {
    const code = codeOf(error);
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${code ?? messageOf(error)})`;
    variables.mistake(found, `names the file \`${found.value}\`, which ${why}`);
    return undefined;
  }
}

/** Returns whether TLS accepts the files. OpenSSL silently ignores an authority file without a certificate. */
function usable(pair: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer }): boolean {
  try {
    if (pair.ca !== undefined) return pair.ca.includes("-----BEGIN CERTIFICATE-----") && new X509Certificate(pair.ca).raw.length > 0;
    createSecureContext(pair);
    return true;
  } catch {
    return false;
  }
}
