/** Reads the certificates and keys that options name; what is wrong with them is said before anything is sent. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { refusal } from "../refusal.ts";
import type { ProbeTls } from "../server/probe.ts";

/** The files that a client's options name. */
export interface CertificateFiles {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** Reads whom to trust and what to present; a pair without its other half is the caller's to refuse. */
export function readCertificates({ ca, cert, key }: CertificateFiles, insecure: boolean): ProbeTls {
  const authority = ca === undefined ? undefined : readFile(ca, "certificate");
  if (ca !== undefined && authority !== undefined) certificateIn(authority, ca);
  return {
    insecure,
    ...(authority !== undefined && { ca: authority }),
    ...(cert !== undefined && key !== undefined && { pair: { cert: readFile(cert, "certificate"), key: readFile(key, "key") } }),
  };
}

/** Reads a file; a refusal says which cannot be read. */
export function readFile(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw refusal(`the ${what} \`${file}\` cannot be read`);
  }
}

/** Reads the first certificate of a PEM text. */
export function certificateIn(text: Buffer, file: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch {
    throw refusal(`the file \`${file}\` holds no certificate in PEM form`);
  }
}
