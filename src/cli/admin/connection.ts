/** The options of every command that say which server is administered, and how to connect to it. */
import { InvalidArgumentError, Option, type Command } from "commander";
import { parseAddress, type Address } from "../../config/address.ts";
import { readVariable } from "../../config/former-variables.ts";
import { refusal } from "../../refusal.ts";
import { readCertificates } from "../certificate-files.ts";
import { durationOption, usageError, type CommandLine } from "../command.ts";
import { openAdminClient, type AdminClient } from "./client.ts";
import { findCredentials } from "./credentials.ts";
import type { Tty } from "./tty.ts";

/** The values of the options. */
export interface ConnectionFlags {
  readonly server?: Address;
  readonly username?: string;
  readonly password?: string;
  readonly caCert?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  readonly insecure?: boolean;
  readonly plaintext?: boolean;
  readonly timeout?: number;
}

const defaultTimeout = 60_000;
const defaultServer: Address = { kind: "tcp", host: "localhost", port: 3593 };

/** Adds the options to a command; its subcommands accept them too. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option("--server <address>", "gRPC address, host:port or unix:/path (AUTHZ_SERVER; default localhost:3593)", serverOption)
    .option("--username <name>", "administrator's name (AUTHZ_USERNAME, or a netrc file)")
    .option(
      "--password <password>",
      "administrator's password; other users of this machine can see it here: use AUTHZ_PASSWORD or a netrc file instead, or type it when asked",
    )
    .option("--ca-cert <file>", "certificate of the authority that signed the server's")
    .option("--client-cert <file>", "certificate to present to the server")
    .option("--client-key <file>", "private key of that certificate")
    .option("--insecure", "do not verify the server's certificate")
    .option("--plaintext", "do not use TLS: the password is sent in clear text")
    .addOption(new Option("--timeout <duration>", "how long to wait for an answer (default 60s)").argParser(durationOption));
}

function serverOption(text: string): Address {
  const address = readServer(text);
  if (address === undefined) throw new InvalidArgumentError("It must be host:port or unix:/path.");
  return address;
}

function readServer(text: string): Address | undefined {
  const address = parseAddress(text.replace(/^dns:\/{0,3}/, ""));
  return address?.kind === "tcp" && address.host === "" ? { ...address, host: "localhost" } : address;
}

/** Returns the options, wherever they stand between the program's name and the arguments; the innermost wins. */
export function flagsOf<Flags extends object>(command: Command): Partial<Flags> & ConnectionFlags {
  const outer = command.parent === null ? {} : flagsOf<Flags>(command.parent);
  return { ...outer, ...command.opts<Partial<Flags> & ConnectionFlags>() };
}

/** What a command needs to open a client. */
export interface AdminContext {
  readonly line: CommandLine;
  readonly tty: Tty;
  readonly command: Command;
}

/** Runs `act` with a client of the server, with the administrator's credentials or without. */
export async function withClient<T>(
  context: AdminContext,
  act: (client: AdminClient) => Promise<T>,
  as: "administrator" | "nobody" = "administrator",
): Promise<T> {
  const { line, tty, command } = context;
  const flags = flagsOf(command);
  const address = flags.server ?? serverFromEnvironment(line);
  const tls = tlsOf(flags, command);
  const machine = address.kind === "unix" ? "localhost" : address.host;
  const credentials = as === "nobody" ? undefined : await findCredentials(line, tty, flags, machine);
  const client = openAdminClient({
    address,
    timeout: flags.timeout ?? defaultTimeout,
    ...(tls !== undefined && { tls }),
    ...(credentials !== undefined && { credentials }),
  });
  try {
    return await act(client);
  } finally {
    client.close();
  }
}

function serverFromEnvironment(line: CommandLine): Address {
  const text = readVariable(line, "AUTHZ_SERVER");
  if (text === undefined || text === "") return defaultServer;
  const address = readServer(text);
  if (address === undefined) throw refusal("AUTHZ_SERVER is not an address: write host:port or unix:/path");
  return address;
}

/** Reads the TLS options. Only --plaintext disables TLS, whatever the server's address. */
function tlsOf({ caCert, clientCert, clientKey, insecure, plaintext }: ConnectionFlags, command: Command) {
  if ((clientCert === undefined) !== (clientKey === undefined)) usageError(command, "--client-cert and --client-key come together");
  if (plaintext !== true) return readCertificates({ ca: caCert, cert: clientCert, key: clientKey }, insecure === true);
  if (caCert !== undefined || clientCert !== undefined)
    usageError(command, "--plaintext means no TLS: leave out --ca-cert, --client-cert and --client-key");
  return undefined;
}
