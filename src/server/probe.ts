/** What probes of a server's health from outside share: whom they ask, its certificates, and what failures mean. */
import type { X509Certificate } from "node:crypto";
import { checkServerIdentity, type PeerCertificate, type SecureContextOptions } from "node:tls";
import type { Address } from "../config/address.ts";
import { hungUp, meaningOf, plainText } from "../unreachable.ts";

/** The server to probe, and how. */
export interface Probe {
  readonly address: Address;
  /** Absent when the server does not use TLS. */
  readonly tls?: ProbeTls;
  /** Milliseconds. */
  readonly timeout: number;
}

/** How the server is verified, and what we present to it. */
export interface ProbeTls {
  /** Do not verify the server's certificate. */
  readonly insecure: boolean;
  /** The certificates to trust instead of the system's. */
  readonly ca?: Buffer;
  /** The client certificate and key, for a server that asks for one. */
  readonly pair?: { readonly cert: Buffer; readonly key: Buffer };
  /** The server's own certificate, where it is known: it is then trusted whatever host name it is for. */
  readonly server?: X509Certificate;
}

/**
 * The TLS options. With `allowPartialTrustChain`, a certificate can be trusted itself although it is signed by an authority that is
 * not.
 */
export const contextOf = ({ ca, pair }: ProbeTls): SecureContextOptions => ({
  minVersion: "TLSv1.2",
  ...(ca !== undefined && { ca, allowPartialTrustChain: true }),
  ...pair,
});

/** How the server's certificate is verified. */
export const verificationOf = ({ insecure, server }: ProbeTls, host: string) => ({
  rejectUnauthorized: !insecure,
  checkServerIdentity: (_name: string, found: PeerCertificate) =>
    server?.raw.equals(found.raw) === true ? undefined : checkServerIdentity(host, found),
});

/** The name that a certificate must be for. */
export const hostOf = (address: Address): string => (address.kind === "unix" ? "localhost" : address.host);

/** Returns in one line why there was no answer; messages that are known are replaced by what they mean. */
export function reason(message: string, tls: ProbeTls | undefined): string {
  if (message.includes("wrong version number")) return "the server does not use TLS there (use --no-tls)";
  if (/certificate required|alert handshake failure/.test(message))
    return "the server requires a client certificate (--client-cert and --client-key)";
  const meaning = meaningOf(message);
  // There is no authority to name beside a configuration, whose certificate is trusted for what it is.
  if (tls?.server !== undefined && meaning?.startsWith("its certificate is"))
    return "the server shows another certificate than that of the configuration (server.tls.cert)";
  if (meaning !== undefined) return meaning;
  if (!hungUp(message)) return plainText(message);
  if (tls === undefined) return "the server hung up: perhaps it uses TLS (then leave out --no-tls or AUTHZ_HC_NOTLS)";
  return tls.pair === undefined
    ? "the server hung up: perhaps it requires a client certificate (--client-cert and --client-key)"
    : "the server hung up: perhaps it does not accept the client certificate: its server.tls.caCert must have signed it, and an extendedKeyUsage must name clientAuth";
}
