/** `authz admin hash-password`: reads a password without showing it, and prints its hash for the configuration. */
import type { Readable } from "node:stream";
import { Command } from "commander";
import { hashPassword, longestPasswordBytes } from "../../admin/password-hash.ts";
import { refusal } from "../../refusal.ts";
import type { CommandLine } from "../command.ts";
import { readWithoutEcho } from "../read-without-echo.ts";
import { isTty, type Tty, type StandardInput } from "./tty.ts";

/** Describes the command. */
export function hashPasswordCommand(line: CommandLine, { input }: Tty): Command {
  return new Command("hash-password")
    .description(
      "print the hash of a password for server.adminAPI.adminCredentials.passwordHash; the password is asked for, or read from standard input",
    )
    .action(async () => line.out(`${await hashPassword(checked(await readPassword(line, input)))}\n`));
}

async function readPassword(line: CommandLine, input: StandardInput): Promise<string> {
  if (!isTty(input)) return firstLine(input);
  const ask = (question: string): Promise<string> => readWithoutEcho(input, () => line.err(question)).finally(() => line.err("\n"));
  const password = await ask("Password: ");
  if ((await ask("Once more: ")) !== password) throw refusal("the two passwords are not the same");
  return password;
}

/** Returns standard input without a line feed at its end. */
async function firstLine(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
  if (/[\r\n]/.test(text)) throw refusal("standard input holds more than one line: give the password alone");
  return text;
}

function checked(password: string): string {
  if (password === "") throw refusal("a password is required: type one, or give it on standard input");
  const bytes = Buffer.byteLength(password);
  if (bytes > longestPasswordBytes)
    throw refusal(`a password has at most ${longestPasswordBytes} bytes, because bcrypt looks at no more, but this one has ${bytes}`);
  return password;
}
