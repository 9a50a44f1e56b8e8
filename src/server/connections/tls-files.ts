/** Reads the files of TLS, and checks everything that would otherwise fail only when a client connects. */
import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { statSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { maxKeyFileBytes, readWithin } from "../../texts/read-within.ts";
import { codeOf, messageOf, refusal } from "../../refusal.ts";

/** A certificate chain with its private key, and the authorities for client certificates. */
export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** When present, a client needs a certificate that one of these authorities signed. */
  readonly ca?: Buffer;
}

/** The paths of the files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

const settingOf = { cert: "server.tls.cert", key: "server.tls.key", ca: "server.tls.caCert" } as const;
const nameOf = { cert: "certificate file", key: "key file", ca: "file of certificate authorities" } as const;

const reasons: { readonly [code: string]: string } = {
  ENOENT: "does not exist",
  EACCES: "may not be read: permission denied",
  EISDIR: "is a directory",
  ENOTDIR: "is in a folder that does not exist",
};

/** Reads the files. Throws a refusal that names the file that cannot be used and why. */
export function readPair(files: TlsFiles): KeyPair {
  const [cert, key] = [read(files, "cert"), read(files, "key")];
  const ca = files.ca === undefined ? undefined : read(files, "ca");
  const [leaf] = certificates(cert, files, "cert");
  if (ca !== undefined) certificates(ca, files, "ca");
  const privateKey = readKey(key, files);
  if (leaf?.checkPrivateKey(privateKey) !== true)
    throw refusal(
      `the ${nameOf.key} \`${files.key}\` does not fit the certificate \`${files.cert}\` (settings server.tls.cert and server.tls.key)`,
    );
  const pair = { cert, key, ...(ca !== undefined && { ca }) };
  try {
    createSecureContext({ ...pair, minVersion: "TLSv1.2" });
  } catch (error) {
    throw refusal(`the certificate \`${files.cert}\` cannot be used: ${messageOf(error)} (setting server.tls.cert)`);
  }
  return pair;
}

/** Returns whether the files are those of a key pair. */
export function holds(files: TlsFiles, { cert, key, ca }: KeyPair): boolean {
  try {
    return read(files, "cert").equals(cert) && read(files, "key").equals(key) && (ca === undefined || read(files, "ca").equals(ca));
  } catch {
    return false; // Whoever uses them reports why.
  }
}

/** A path that is no regular file: its name for messages, and its setting. */
export interface Pipe {
  readonly called: string;
  readonly setting: string;
}

/** Finds the paths that are pipes or the like. A pipe can be read only once: a second reader would wait forever. */
export const pipesAmong = (files: TlsFiles): readonly Pipe[] =>
  (["cert", "key", "ca"] as const).flatMap((which) => {
    const path = files[which];
    const found = path === undefined ? undefined : tryStat(path);
    if (found === undefined || !isPipe(found)) return [];
    return { called: `the ${nameOf[which]} \`${path}\``, setting: settingOf[which] };
  });

/** Also true for sockets and devices. */
const isPipe = (found: NonNullable<ReturnType<typeof tryStat>>): boolean => !found.isFile() && !found.isDirectory();

/** Returns when the server's certificate begins to be valid. */
export const begins = ({ cert }: KeyPair): Date => new Date(new X509Certificate(cert).validFrom);

/** Returns when the server's certificate expires. */
export const expires = ({ cert }: KeyPair): Date => new Date(new X509Certificate(cert).validTo);

/** Returns a string that changes exactly when one of the files is replaced or written to. */
export function stampsOf(files: TlsFiles): string {
  const paths = [files.cert, files.key, ...(files.ca === undefined ? [] : [files.ca])];
  return paths
    .map((path) => {
      const found = tryStat(path);
      if (found === undefined) return "none";
      // The times of a pipe change whenever it is written or read.
      return `${found.dev}:${found.ino}:${isPipe(found) ? "pipe" : `${found.size}:${found.mtimeNs}:${found.ctimeNs}`}`;
    })
    .join(" ");
}

function tryStat(path: string): ReturnType<typeof statBig> | undefined {
  try {
    return statBig(path);
  } catch {
    return undefined; // Reading the file will report why.
  }
}

const statBig = (path: string) => statSync(path, { bigint: true });

function read(files: TlsFiles, which: keyof TlsFiles): Buffer {
  const path = files[which] ?? "";
  let bytes: Buffer | undefined;
  try {
    bytes = readWithin(path, maxKeyFileBytes);
  } catch (error) {
    const why = reasons[codeOf(error) ?? ""] ?? `cannot be read: ${messageOf(error)}`;
    throw refusal(`the ${nameOf[which]} \`${path}\` ${why} (setting ${settingOf[which]})`);
  }
  if (bytes === undefined)
    throw refusal(`the ${nameOf[which]} \`${path}\` is larger than ${maxKeyFileBytes} bytes (setting ${settingOf[which]})`);
  return bytes;
}

/** Parses every certificate of a PEM file. Each block is parsed by itself, because OpenSSL silently skips some invalid ones. */
function certificates(text: Buffer, files: TlsFiles, which: "cert" | "ca"): readonly X509Certificate[] {
  const blocks = text.toString("latin1").match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END [A-Z0-9 ]+-----/g) ?? [];
  if (blocks.length === 0)
    throw refusal(`the ${nameOf[which]} \`${files[which] ?? ""}\` holds no certificate in PEM form (setting ${settingOf[which]})`);
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    throw refusal(`the ${nameOf[which]} \`${files[which] ?? ""}\` holds a certificate that cannot be read (setting ${settingOf[which]})`);
  }
}

function readKey(text: Buffer, { key }: TlsFiles): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    const locked = codeOf(error) === "ERR_MISSING_PASSPHRASE";
    // OpenSSL's message is not quoted: nothing of a private key may reach a log.
    const why = locked ? "is locked with a passphrase, which is not supported" : "holds no private key in PEM form";
    throw refusal(`the ${nameOf.key} \`${key}\` ${why} (setting ${settingOf.key})`);
  }
}
