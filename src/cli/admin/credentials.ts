/** Finds the administrator's credentials: from options, the environment, a netrc file, or a hidden prompt. */
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { readVariable } from "../../config/former-variables.ts";
import { codeOf, messageOf, refusal } from "../../refusal.ts";
import type { CommandLine } from "../command.ts";
import { readWithoutEcho } from "../read-without-echo.ts";
import { findMachine, type NetrcEntry } from "./netrc.ts";
import { isTty, type Tty } from "./tty.ts";

/** A name and a password. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The credentials given by options. */
interface CredentialFlags {
  readonly username?: string;
  readonly password?: string;
}

/**
 * Finds the credentials for a machine. Options take precedence over the environment, which takes precedence over netrc. A missing
 * password is asked for at a terminal.
 */
export async function findCredentials(line: CommandLine, tty: Tty, flags: CredentialFlags, machine: string): Promise<Credentials> {
  const named = flags.username ?? readVariable(line, "AUTHZ_USERNAME");
  const secret = flags.password ?? readVariable(line, "AUTHZ_PASSWORD");
  const entry = isGiven(named) && isGiven(secret) ? undefined : readNetrc(line, machine);
  const username = isGiven(named) ? named : entry?.login;
  if (username === undefined || username === "") throw refusal(`no username is given for ${machine}: ${howToGive("USERNAME")}`);
  if (username.includes(":")) throw refusal("a username cannot hold a colon");
  // The netrc password of another user is not sent.
  const kept = entry?.login === undefined || entry.login === username ? entry?.password : undefined;
  const password = (isGiven(secret) ? secret : kept) ?? (await askPassword(line, tty, username, machine));
  if (password === "") throw refusal(`no password is given for ${username} at ${machine}: ${howToGive("PASSWORD")}`);
  return { username, password };
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== "";

const howToGive = (what: "USERNAME" | "PASSWORD"): string =>
  `set AUTHZ_${what}, or write it into a netrc file, or give --${what.toLowerCase()}${what === "PASSWORD" ? " (which others on this machine can see)" : ""}`;

async function askPassword({ err }: CommandLine, { input }: Tty, username: string, machine: string): Promise<string> {
  if (!isTty(input)) return "";
  return readWithoutEcho(input, () => err(`Password of ${username} at ${machine}: `)).finally(() => err("\n"));
}

/** Reads the file named by NETRC, else the one in the home directory, which may be missing. */
function readNetrc({ environment, err }: CommandLine, machine: string): NetrcEntry | undefined {
  const named = environment["NETRC"];
  const file = isGiven(named) ? named : join(environment["HOME"] ?? homedir(), process.platform === "win32" ? "_netrc" : ".netrc");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (!isGiven(named) && codeOf(error) === "ENOENT") return undefined;
    err(`warning: the netrc file \`${file}\` cannot be read: ${codeOf(error) ?? messageOf(error)}\n`);
    return undefined;
  }
  const entry = findMachine(text, machine);
  if (entry?.password !== undefined && process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0)
    err(`warning: others on this machine can read the passwords in \`${file}\`: chmod 600 it\n`);
  return entry;
}
