/** Explains why a TLS connection to a remote store failed, and what to do about it. */
import { codeOf, messageOf } from "../refusal.ts";

/** The settings that messages name. */
export interface TlsSettings {
  readonly caCert: string;
  readonly url: string;
}

const unknownAuthority: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** By error code: what is wrong with the certificate, and the remedy. */
const certificates: { readonly [code: string]: readonly [what: string, remedy: (settings: TlsSettings) => string] } = {
  CERT_HAS_EXPIRED: ["its certificate, or one above it, has expired", () => "renew it there; or is this machine's clock wrong?"],
  CERT_NOT_YET_VALID: [
    "its certificate, or one above it, is not valid yet",
    () => "is this machine's clock wrong, or that of the authority?",
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "its certificate is for another host",
    ({ url }) => `write a host that the certificate names (setting ${url})`,
  ],
  INVALID_PURPOSE: ["its certificate is not one for servers", () => "its extendedKeyUsage must name serverAuth"],
};

/** By the reason that OpenSSL gives, of connections on which the two sides could not agree. */
const handshakes: readonly (readonly [reason: RegExp, what: string, remedy: (settings: TlsSettings) => string])[] = [
  [
    /wrong version number|packet length too long|http request/,
    "it answers without TLS",
    ({ url }) => `is that the port for https (setting ${url})?`,
  ],
  [/protocol version|unsupported protocol|version too low/, "it offers no version of TLS that is accepted", () => "1.2 is the oldest"],
  [/certificate required/, "it asks for a client certificate", () => "none can be sent"],
  [
    /handshake failure/,
    "it refuses the handshake",
    () => "it shares no cipher with this server, or asks for a client certificate, which cannot be sent",
  ],
];

/** Returns what is wrong and what to do; undefined when the failure is none of TLS. */
export function tlsFailure(error: unknown, settings: TlsSettings): string | undefined {
  const code = codeOf(error) ?? "";
  if (unknownAuthority.has(code))
    return `its certificate is not signed by a trusted authority (${code}): name its authority in ${settings.caCert}`;
  const certificate = certificates[code];
  if (certificate !== undefined) return `${certificate[0]} (${code}): ${certificate[1](settings)}`;
  if (!isOfTls.test(code)) return undefined;
  // OpenSSL's messages hold numbers, places in its source and line feeds around the reason.
  const [, reason] = /:SSL routines:[^:]*:([^:\n]+)/.exec(messageOf(error)) ?? [];
  const [, what, remedy] = handshakes.find(([known]) => known.test(reason ?? "")) ?? [];
  if (what !== undefined && remedy !== undefined) return `${what} (${reason ?? code}): ${remedy(settings)}`;
  return `TLS fails (${reason === undefined ? "" : `${reason}, `}${code})`;
}

/** A retry cannot succeed: the certificates, or what the two sides support, have to change. */
const isOfTls = /CERT|SIGNED|SIGNATURE|ISSUER|TLS|SSL|EPROTO|INVALID_CA|PATH_LENGTH_EXCEEDED/;
