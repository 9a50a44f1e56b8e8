/** Reads the certificates and keys named by options, and reports mistakes before anything is sent. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { refusal } from "../refusal.ts";
import type { ProbeTls } from "../server/probe.ts";

/** The files named by a client's options. */
export interface CertificateFiles {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** Reads the trusted authority and the client certificate. The caller refuses a certificate without its key. */
export function readCertificates({ ca, cert, key }: CertificateFiles, insecure: boolean): ProbeTls {
  const authority = ca === undefined ? undefined : readFile(ca, "certificate");
  if (ca !== undefined && authority !== undefined) certificateIn(authority, ca);
  return {
    insecure,
    ...(authority !== undefined && { ca: authority }),
    ...(cert !== undefined && key !== undefined && { pair: { cert: readFile(cert, "certificate"), key: readFile(key, "key") } }),
  };
}

/** Reads a file; throws a refusal that names it. */
export function readFile(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw refusal(`the ${what} \`${file}\` cannot be read`);
  }
}

/** Parses the first certificate of a PEM file; throws a refusal when there is none. */
export function certificateIn(text: Buffer, file: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch {
    throw refusal(`the file \`${file}\` holds no certificate in PEM form`);
  }
}
