/** `authz bundle keygen|sign|verify|inspect|diff`: generates keys, signs bundles, and shows what is in them. */
import { rmSync, writeFileSync } from "node:fs";
import { Command } from "commander";
import { generateKeys, keyIdOf, readPrivateKey, readPublicKeys } from "../bundle/keys.ts";
import { signBundle } from "../bundle/sign.ts";
import { codeOf, refusal } from "../refusal.ts";
import { writeOutputFile } from "./output-target.ts";
import { diffCommand } from "./bundle-diff.ts";
import { trustAnybody, bytesOf, readBundleFile } from "./bundle-file.ts";
import { inspectCommand } from "./bundle-inspect.ts";
import type { CommandLine } from "./command.ts";

/** Describes the command. */
export const bundleCommand = (line: CommandLine): Command =>
  new Command("bundle")
    .description("make signing keys, and sign, verify, compare and inspect bundles; `authz build` builds them")
    .addCommand(
      new Command("keygen")
        .description("make a pair of keys: the private one to FILE, which only you can read, and the public one, for servers, to FILE.pub")
        .argument("<file>", "where the private key is written; an existing file is never overwritten")
        .action((file: string) => makeKeys(line, file)),
    )
    .addCommand(
      new Command("sign")
        .description("sign a bundle in place; an existing signature is replaced")
        .argument("<bundle>", "the bundle")
        .requiredOption("--key <file>", "the private key (PEM)")
        .action((file: string, { key }: { readonly key: string }) => sign(line, file, key)),
    )
    .addCommand(
      new Command("verify")
        .description("check who signed a bundle, and that no byte has changed since; exits with 1 when a server would refuse it")
        .argument("<bundle>", "the bundle")
        .requiredOption("--key <file>", "file with one or more trusted public keys (PEM)")
        .action((file: string, { key }: { readonly key: string }) => {
          const { digest, keyId } = readBundleFile(file, { kind: "keys", keys: readPublicKeys([key]) });
          line.out(`${file}: signed by ${keyId}\nsha256 ${digest}\n`);
        }),
    )
    .addCommand(inspectCommand(line))
    .addCommand(diffCommand(line));

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
  // A bundle that no server would load must not be signed.
  const before = readBundleFile(file, trustAnybody);
  await writeOutputFile(file, signBundle(bytesOf(file), key));
  const instead = before.keyId === undefined || before.keyId === keyIdOf(key) ? "" : `, instead of ${before.keyId}`;
  line.out(`${file}: signed by ${keyIdOf(key)}${instead}\nsha256 ${before.digest}\n`);
}
