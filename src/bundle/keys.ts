/** The Ed25519 keys that bundles are signed and verified with, as PEM files: generated, read, and named. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { statSync } from "node:fs";
import { readWithin } from "../texts/read-within.ts";
import { codeOf, refusal } from "../refusal.ts";

/** A new key pair, as PEM. */
export interface KeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
  readonly keyId: string;
}

/** The public keys whose signatures are accepted, by id. */
export type TrustedKeys = ReadonlyMap<string, KeyObject>;

/** Generates a key pair. */
export function generateKeys(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
    keyId: keyIdOf(publicKey),
  };
}

/** Returns the id of a key: the first 32 hexadecimal digits of the SHA-256 of the public key (SPKI DER). */
export function keyIdOf(key: KeyObject): string {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  const der = publicKey.export({ type: "spki", format: "der" });
  return createHash("sha256").update(der).digest("hex").slice(0, 32);
}

/** Reads a private key. Throws a refusal when it is not one, or when the file's permissions let others read it. */
export function readPrivateKey(file: string): KeyObject {
  const { text, mode } = readKeyFile(file);
  if ((mode & 0o077) !== 0 && process.platform !== "win32")
    throw refusal(`others may read the private key \`${file}\` (its permissions are ${(mode & 0o777).toString(8)}): use chmod 600`);
  const [block, ...others] = blocksOf(text);
  if (block === undefined || others.length > 0) throw refusal(`\`${file}\` must hold one private key (PEM), and nothing else`);
  if (block.label === "ENCRYPTED PRIVATE KEY")
    throw refusal(`the private key \`${file}\` is encrypted: give it without a passphrase, in a file that only you can read`);
  if (block.label === "PUBLIC KEY") throw refusal(`\`${file}\` holds a public key: signing takes the private one`);
  return ed25519(file, block, createPrivateKey);
}

/** Reads public keys from files, one or more per file; throws a refusal when a file holds anything else. */
export const readPublicKeys = (files: readonly string[]): TrustedKeys => new Map(files.flatMap((file) => [...publicKeysIn(file)]));

function publicKeysIn(file: string): TrustedKeys {
  const blocks = blocksOf(readKeyFile(file).text);
  if (blocks.length === 0) throw refusal(`\`${file}\` holds no public key (PEM): \`authz bundle keygen\` makes a pair`);
  return new Map(
    blocks.map((block) => {
      // Node would derive the public key, and the private key would stay on a server.
      if (block.label.endsWith("PRIVATE KEY"))
        throw refusal(`\`${file}\` holds a private key: give the public one, and keep that one where bundles are signed`);
      if (block.label !== "PUBLIC KEY") throw refusal(`\`${file}\` holds a ${block.label.toLowerCase()}: only public keys belong there`);
      const key = ed25519(file, block, createPublicKey);
      return [keyIdOf(key), key];
    }),
  );
}

interface Block {
  readonly label: string;
  readonly pem: string;
}

function blocksOf(text: string): readonly Block[] {
  return Array.from(text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g), ([pem, label = ""]) => ({ label, pem }));
}

function ed25519(file: string, { pem }: Block, create: (pem: string) => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = create(pem);
  } catch {
    // The library's message may quote the file.
    throw refusal(`a key in \`${file}\` cannot be read: it must be Ed25519, as PEM`);
  }
  if (key.asymmetricKeyType !== "ed25519")
    throw refusal(`a key in \`${file}\` is of the kind ${key.asymmetricKeyType ?? key.type}: bundles are signed with Ed25519`);
  return key;
}

const maxKeyBytes = 64 * 1024;

function readKeyFile(file: string): { readonly text: string; readonly mode: number } {
  try {
    const bytes = readWithin(file, maxKeyBytes);
    if (bytes === undefined) throw refusal(`the key file \`${file}\` is larger than ${maxKeyBytes} bytes: it holds something else`);
    return { text: bytes.toString("utf8"), mode: statSync(file).mode };
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw refusal(`the key file \`${file}\` ${code === "ENOENT" ? "does not exist" : `cannot be read (${code})`}`);
  }
}
