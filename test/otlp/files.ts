/** Certificates as an operator has them: files in a folder of their own. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeAuthority } from "../server/certificates.ts";

/** Those whom a collector and its clients trust, and others whom they do not. */
export const ours = makeAuthority("Ours");
export const theirs = makeAuthority("Theirs");
export const collector = ours.issue({ names: ["localhost", "127.0.0.1", "collector.example"] });
export const client = ours.issue({ names: ["authz"], client: true });
const stranger = theirs.issue({ names: ["authz"], client: true });

const texts = {
  ca: ours.certificate,
  otherCa: theirs.certificate,
  clientCertificate: client.certificate,
  clientKey: client.key,
  strangerCertificate: stranger.certificate,
  strangerKey: stranger.key,
  broken: ours.certificate.replace(/\n.{8}/, "\nAAAAAAAA"),
  prose: "there is no certificate in here\n",
} as const;

export type Files = { readonly [name in keyof typeof texts]: string } & { readonly folder: string; readonly remove: () => void };

/** Writes them; remove them. */
export function writeFiles(): Files {
  const folder = mkdtempSync(join(tmpdir(), "authz-otlp-"));
  const write = (name: keyof typeof texts): string => {
    const path = join(folder, `${name}.pem`);
    writeFileSync(path, texts[name]);
    return path;
  };
  return {
    folder,
    ca: write("ca"),
    otherCa: write("otherCa"),
    clientCertificate: write("clientCertificate"),
    clientKey: write("clientKey"),
    strangerCertificate: write("strangerCertificate"),
    strangerKey: write("strangerKey"),
    broken: write("broken"),
    prose: write("prose"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
