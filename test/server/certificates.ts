/** Makes certificates for tests: an authority of one's own, and what it issues, as PEM texts. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

/** A certificate and its private key, as PEM texts. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** Who issues certificates; its own certificate is what others trust. */
export interface Authority extends Pair {
  readonly issue: (options: CertificateOptions) => Pair;
}

/** What a certificate shall be. */
export interface CertificateOptions {
  /** Host names and IP addresses; the first is the subject's common name too. */
  readonly names: readonly string[];
  /** For clients rather than servers. */
  readonly client?: boolean;
  /** Its time is over since yesterday. */
  readonly expired?: boolean;
  /** Its first moment, when that is not yesterday. */
  readonly from?: Date;
  /** Its last moment, when that is neither tomorrow's far end nor yesterday. */
  readonly until?: Date;
}

const day = 86_400_000;

/** Makes an authority, valid for a year, whose name tells it from others. */
export function makeAuthority(name = "Test Authority"): Authority {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = nameOf(`${name} ${randomBytes(4).toString("hex")}`);
  const year = { from: new Date(Date.now() - day), until: new Date(Date.now() + 365 * day) };
  const own = { issuer: subject, signingKey: keys.privateKey, authorityKey: keys.publicKey };
  return {
    certificate: certificate({
      ...own,
      subject,
      publicKey: keys.publicKey,
      ...year,
      extensions: [
        extension(oids.basicConstraints, sequence(tagged(0x01, Buffer.of(0xff))), "critical"),
        extension(oids.keyUsage, bits(Buffer.of(0b0000_0110), 1), "critical"), // keyCertSign, cRLSign
      ],
    }),
    key: pemOf(keys.privateKey),
    issue: ({ names, client = false, expired = false, from, until }) => {
      const leaf = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const end = until ?? (expired ? new Date(Date.now() - day) : year.until);
      return {
        certificate: certificate({
          ...own,
          subject: nameOf(names[0] ?? "nobody"),
          publicKey: leaf.publicKey,
          from: from ?? new Date(Math.min(Date.now(), end.getTime()) - day),
          until: end,
          extensions: [
            extension(oids.basicConstraints, sequence(), "critical"),
            extension(oids.keyUsage, bits(Buffer.of(0b1000_0000), 7), "critical"), // digitalSignature
            extension(oids.extendedKeyUsage, sequence(oid(client ? oids.clientAuthentication : oids.serverAuthentication))),
            ...(names.length === 0 ? [] : [extension(oids.subjectAlternativeName, sequence(...names.map(alternativeName)))]),
          ],
        }),
        key: pemOf(leaf.privateKey),
      };
    },
  };
}

interface Content {
  readonly issuer: Buffer;
  readonly signingKey: KeyObject;
  readonly authorityKey: KeyObject;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly from: Date;
  readonly until: Date;
  readonly extensions: readonly Buffer[];
}

/** RFC 5280, section 4.1. */
function certificate(content: Content): string {
  const algorithm = sequence(oid(oids.ecdsaWithSha256));
  const toBeSigned = sequence(
    tagged(0xa0, integer(Buffer.of(2))), // version 3
    integer(Buffer.concat([Buffer.of(0x01), randomBytes(15)])),
    algorithm,
    content.issuer,
    sequence(time(content.from), time(content.until)),
    content.subject,
    content.publicKey.export({ type: "spki", format: "der" }),
    tagged(
      0xa3,
      sequence(
        ...content.extensions,
        extension(oids.subjectKeyIdentifier, tagged(0x04, keyIdentifier(content.publicKey))),
        extension(oids.authorityKeyIdentifier, sequence(tagged(0x80, keyIdentifier(content.authorityKey)))),
      ),
    ),
  );
  const der = sequence(toBeSigned, algorithm, bits(sign("sha256", toBeSigned, content.signingKey), 0));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

const oids = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAlternativeName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuthentication: "1.3.6.1.5.5.7.3.1",
  clientAuthentication: "1.3.6.1.5.5.7.3.2",
} as const;

/** One value of DER: tag, length, content. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length;
  const head = length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const bits = (bytes: Buffer, unused: number): Buffer => tagged(0x03, Buffer.of(unused), bytes);
const keyIdentifier = (key: KeyObject): Buffer =>
  createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();
const pemOf = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();
const nameOf = (commonName: string): Buffer =>
  sequence(tagged(0x31, sequence(oid(oids.commonName), tagged(0x0c, Buffer.from(commonName)))));

function extension(id: string, value: Buffer, critical?: "critical"): Buffer {
  const flag = critical === undefined ? [] : [tagged(0x01, Buffer.of(0xff))];
  return sequence(oid(id), ...flag, tagged(0x04, value));
}

function alternativeName(name: string): Buffer {
  if (/^\d+(\.\d+){3}$/.test(name)) return tagged(0x87, Buffer.from(name.split(".").map(Number)));
  if (name === "::1") return tagged(0x87, Buffer.concat([Buffer.alloc(15), Buffer.of(1)]));
  return tagged(0x82, Buffer.from(name));
}

/** UTCTime: two digits of the year are enough until 2049. */
function time(at: Date): Buffer {
  return tagged(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replaceAll(/[-:T]/g, "")}Z`));
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const base128 = (number: number): readonly number[] =>
    number < 0x80 ? [number] : [...base128(Math.floor(number / 0x80)).map((byte) => byte | 0x80), number & 0x7f];
  return tagged(0x06, Buffer.from([40 * first + second, ...rest.flatMap(base128)]));
}
