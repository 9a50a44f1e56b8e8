/** `authz bundle keygen|sign|verify|inspect`: keys for bundles, signatures of bundles, and what is in them. */
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { Command, Option } from "commander";
import { mostBytes } from "../bundle/frame.ts";
import { readBundle, type BundleFile } from "../bundle/index.ts";
import { generateKeys, keyIdOf, readPrivateKey, readPublicKeys } from "../bundle/keys.ts";
import { signBundle } from "../bundle/sign.ts";
import type { Trust } from "../bundle/verify.ts";
import { count } from "../count.ts";
import { codeOf, isRefusal, refusal } from "../refusal.ts";
import { printable, printableLines } from "./admin/printable.ts";
import { countPolicies, writeOut } from "./build.ts";
import type { CommandLine } from "./command.ts";

const anybody: Trust = { kind: "anybody" };

/** Describes the command. */
export const bundleCommand = (line: CommandLine): Command =>
  new Command("bundle")
    .description("make keys for bundles, sign and verify bundles, and show what is in them; `authz build` builds them")
    .addCommand(
      new Command("keygen")
        .description("make a pair of keys: the private one to FILE, which only you can read, and the public one, for servers, to FILE.pub")
        .argument("<file>", "where the private key is written; a file that is there is never overwritten")
        .action((file: string) => makeKeys(line, file)),
    )
    .addCommand(
      new Command("sign")
        .description("sign a bundle in place, instead of whoever signed it before")
        .argument("<bundle>", "the bundle")
        .requiredOption("--key <file>", "the private key (PEM)")
        .action((file: string, { key }: { readonly key: string }) => sign(line, file, key)),
    )
    .addCommand(
      new Command("verify")
        .description("say who signed a bundle, and that not a byte has changed since; exits with 1 when a server would refuse it")
        .argument("<bundle>", "the bundle")
        .requiredOption("--key <file>", "the public keys that are trusted (PEM), one or more")
        .action((file: string, { key }: { readonly key: string }) => {
          const { digest, keyId } = read(file, { kind: "keys", keys: readPublicKeys([key]) });
          line.out(`${file}: signed by ${keyId}\nsha256 ${digest}\n`);
        }),
    )
    .addCommand(
      new Command("inspect")
        .description("show what is in a bundle; its signature is not checked")
        .argument("<bundle>", "the bundle")
        .addOption(new Option("-o, --output <format>", "how it is shown").choices(["text", "json"]).default("text"))
        .action((file: string, { output }: { readonly output: "text" | "json" }) => {
          const bundle = read(file, anybody);
          line.out(
            output === "json" ? `${printableLines(JSON.stringify(manifestOf(bundle), undefined, 2))}\n` : printManifest(file, bundle),
          );
        }),
    );

function makeKeys(line: CommandLine, file: string): void {
  const { privateKey, publicKey, keyId } = generateKeys();
  writeNew(file, privateKey, 0o600);
  try {
    writeNew(`${file}.pub`, publicKey, 0o644);
  } catch (error) {
    rmSync(file);
    throw error;
  }
  line.out(`${file}: the private key, for \`authz build --sign\`: keep it where bundles are built\n`);
  line.out(`${file}.pub: the public key, for storage.bundle.publicKeys of servers\nkey ${keyId}\n`);
}

function writeNew(file: string, text: string, mode: number): void {
  try {
    writeFileSync(file, text, { flag: "wx", mode });
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw refusal(
      code === "EEXIST" ? `\`${file}\` is there already, and no key is overwritten` : `\`${file}\` cannot be written (${code})`,
    );
  }
}

async function sign(line: CommandLine, file: string, keyFile: string): Promise<void> {
  const key = readPrivateKey(keyFile);
  // Nobody should put their name to what no server would load.
  const before = read(file, anybody);
  await writeOut(file, signBundle(bytesOf(file), key));
  const instead = before.keyId === undefined || before.keyId === keyIdOf(key) ? "" : `, instead of ${before.keyId}`;
  line.out(`${file}: signed by ${keyIdOf(key)}${instead}\nsha256 ${before.digest}\n`);
}

function read(file: string, trust: Trust): BundleFile {
  try {
    return readBundle(bytesOf(file), trust);
  } catch (error) {
    throw isRefusal(error) ? refusal(`the bundle \`${file}\`: ${error.message}`) : error;
  }
}

function bytesOf(file: string): Uint8Array {
  try {
    if (statSync(file).size > mostBytes) throw refusal(`it is larger than a bundle may be (${mostBytes} bytes)`);
    return readFileSync(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw refusal(code === "ENOENT" ? "it does not exist" : `it cannot be read (${code})`);
  }
}

/** What `inspect` shows, as data. */
function manifestOf({ content, digest, keyId }: BundleFile): object {
  const { bundle, schemas, policies } = content;
  return {
    digest,
    signedBy: keyId ?? null,
    policySet: bundle.manifest.digest,
    format: bundle.manifest.format,
    compilerVersion: bundle.manifest.compilerVersion,
    files: policies,
    policies: bundle.units.flatMap(({ type, writtenName, version, digest: unit, scopes }) =>
      scopes.map(({ scope, key }) => ({ key, type, name: writtenName, version, scope, unit })),
    ),
    schemas: [...schemas.keys()],
  };
}

function printManifest(file: string, { content, digest, keyId }: BundleFile): string {
  const { bundle, schemas, policies } = content;
  const keys = bundle.units.flatMap(({ scopes }) => scopes.map(({ key }) => key));
  const lines = [
    file,
    `  sha256      ${digest}`,
    `  policy set  ${bundle.manifest.digest}`,
    `  signed by   ${keyId === undefined ? "nobody" : `${keyId} (not checked here)`}`,
    `  compiler    ${bundle.manifest.compilerVersion}, format ${bundle.manifest.format}`,
    `${countPolicies(keys.length)} of ${count(policies, "file")}`,
    ...keys.map((key) => `  ${printable(key)}`),
    count(schemas.size, "schema"),
    ...[...schemas.keys()].map((id) => `  ${printable(id)}`),
  ];
  return `${lines.join("\n")}\n`;
}
