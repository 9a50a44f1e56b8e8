/** `authz healthcheck`: probes a server; exits with 0 when it serves, with 1 when it does not. */
import { Command, InvalidArgumentError, Option } from "commander";
import { isEveryInterface, parseAddress, type Address } from "../config/address.ts";
import { parseDuration } from "../config/duration.ts";
import { readVariable } from "../config/former-variables.ts";
import type { Config } from "../config/settings.ts";
import { messageOf, refusal } from "../refusal.ts";
import type { Probe, ProbeTls } from "../server/probe.ts";
import { certificateIn, readCertificates, readFile } from "./certificate-files.ts";
import { exitCodes, singleFile, type CommandLine } from "./command.ts";

type Kind = "grpc" | "http";

interface HealthcheckFlags {
  readonly config?: string;
  readonly kind?: string;
  readonly hostPort?: string;
  readonly timeout?: number;
  readonly insecure?: boolean;
  readonly tls: boolean;
  readonly caCert?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
}

/** Describes the command. */
export function healthcheckCommand(line: CommandLine): Command {
  return new Command("healthcheck")
    .alias("hc")
    .description("check the health of a server; exits with 1 if it is not serving")
    .addOption(
      new Option("--config <file>", "configuration file of the server, from which its address and certificates are taken (AUTHZ_CONFIG)")
        .argParser(singleFile)
        .conflicts(["hostPort", "caCert", "clientCert", "clientKey"]),
    )
    .addOption(new Option("--kind <kind>", "which endpoint is asked (AUTHZ_HC_KIND; default grpc)").choices(["grpc", "http"]))
    .option("--host-port <address>", "where the server listens (AUTHZ_HC_HOSTPORT; default 127.0.0.1:3593, for http 127.0.0.1:3592)")
    .option("--timeout <duration>", "how long to wait (AUTHZ_HC_TIMEOUT; default 2s)", timeoutOption)
    .option("--ca-cert <file>", "certificate of the authority that signed the server's (AUTHZ_HC_CACERT)")
    .option("--client-cert <file>", "certificate to present to the server (AUTHZ_HC_CLIENTCERT)")
    .option("--client-key <file>", "private key of that certificate (AUTHZ_HC_CLIENTKEY)")
    .option("--insecure", "do not verify the server's certificate (AUTHZ_HC_INSECURE)")
    .addOption(new Option("--no-tls", "the server does not use TLS (AUTHZ_HC_NOTLS)"))
    .action(async (flags: HealthcheckFlags, command: Command) => line.finish(await check(line, flags, command)));
}

async function check(line: CommandLine, flags: HealthcheckFlags, command: Command): Promise<number> {
  if (flags.config !== undefined && !flags.tls) command.error("error: option '--config <file>' cannot be used with option '--no-tls'");
  const kind = kindOf(line, flags, command);
  const probe = await probeOf(line, flags, kind, command);
  try {
    line.out(`${await probes[kind](probe)}\n`);
    return exitCodes.ok;
  } catch (error) {
    throw refusal(`the server is not healthy: ${messageOf(error)}`);
  }
}

/** Imported on demand, because an orchestrator starts this program every few seconds. */
const probes: { readonly [kind in Kind]: (probe: Probe) => Promise<string> } = {
  http: async (probe) => (await import("../server/probe-http.ts")).probeHttp(probe),
  grpc: async (probe) => (await import("../server/probe-grpc.ts")).probeGrpc(probe),
};

function kindOf(line: CommandLine, flags: HealthcheckFlags, command: Command): Kind {
  const written = flags.kind ?? readVariable(line, "AUTHZ_HC_KIND") ?? "grpc";
  if (written !== "grpc" && written !== "http") command.error(`error: AUTHZ_HC_KIND is \`${written}\`, and must be grpc or http`);
  return written;
}

async function probeOf(line: CommandLine, flags: HealthcheckFlags, kind: Kind, command: Command): Promise<Probe> {
  const timeout = timeoutOf(line, flags, command);
  const insecure = flags.insecure ?? isOn(line, "AUTHZ_HC_INSECURE");
  // The command line takes precedence over the environment.
  const file = flags.config ?? (flags.hostPort === undefined ? readVariable(line, "AUTHZ_CONFIG") : undefined);
  if (file !== undefined) {
    const { loadConfigOrThrow } = await import("../config/load.ts");
    const { config } = loadConfigOrThrow(file, [], line.environment);
    const address = loopbackOf(config[kind === "http" ? "server.httpListenAddr" : "server.grpcListenAddr"]);
    const tls = tlsOfServer(config, insecure);
    return { address, timeout, ...(tls !== undefined && { tls }) };
  }
  const text = flags.hostPort ?? readVariable(line, "AUTHZ_HC_HOSTPORT") ?? (kind === "http" ? "127.0.0.1:3592" : "127.0.0.1:3593");
  const address = parseAddress(text);
  if (address === undefined) throw refusal(`\`${text}\` is not an address: write host:port or unix:/path`);
  const plain = !flags.tls || isOn(line, "AUTHZ_HC_NOTLS");
  return { address: loopbackOf(address), timeout, ...(!plain && { tls: tlsOfFlags(line, flags, insecure, command) }) };
}

/** Presents the server's own certificate, and trusts only its chain (D14). */
function tlsOfServer(config: Config, insecure: boolean): ProbeTls | undefined {
  const [certFile, keyFile] = [config["server.tls.cert"], config["server.tls.key"]];
  if (certFile === "" || keyFile === "") return undefined;
  const [cert, key] = [readFile(certFile, "certificate"), readFile(keyFile, "key")];
  return { insecure, ca: cert, pair: { cert, key }, server: certificateIn(cert, certFile) };
}

function tlsOfFlags(line: CommandLine, flags: HealthcheckFlags, insecure: boolean, command: Command): ProbeTls {
  const ca = flags.caCert ?? readVariable(line, "AUTHZ_HC_CACERT");
  const cert = flags.clientCert ?? readVariable(line, "AUTHZ_HC_CLIENTCERT");
  const key = flags.clientKey ?? readVariable(line, "AUTHZ_HC_CLIENTKEY");
  if ((cert === undefined) !== (key === undefined))
    command.error(
      `error: option '--client-${cert === undefined ? "key" : "cert"} <file>' needs '--client-${cert === undefined ? "cert" : "key"} <file>' beside it`,
    );
  return readCertificates({ ca, cert, key }, insecure);
}

/** Returns the loopback address for a server that listens on every interface. */
function loopbackOf(address: Address): Address {
  return address.kind === "tcp" && isEveryInterface(address) ? { ...address, host: address.host === "::" ? "::1" : "127.0.0.1" } : address;
}

function timeoutOf(line: CommandLine, flags: HealthcheckFlags, command: Command): number {
  if (flags.timeout !== undefined) return flags.timeout;
  const written = readVariable(line, "AUTHZ_HC_TIMEOUT");
  if (written === undefined) return 2000;
  return readTimeout(written) ?? command.error(`error: AUTHZ_HC_TIMEOUT is \`${written}\`, and must be a duration such as 2s`);
}

function timeoutOption(text: string): number {
  const milliseconds = readTimeout(text);
  if (milliseconds === undefined) throw new InvalidArgumentError("It must be a duration such as 2s.");
  return milliseconds;
}

/** The longest time that a timer can measure: whoever writes more waits no longer than that. */
const longestTimeout = 2 ** 31 - 1;

/** Timers measure whole milliseconds. */
function readTimeout(text: string): number | undefined {
  const milliseconds = parseDuration(text);
  return milliseconds === undefined || milliseconds === 0 ? undefined : Math.min(Math.ceil(milliseconds), longestTimeout);
}

function isOn(line: CommandLine, name: string): boolean {
  return /^(1|true|t|yes)$/i.test(readVariable(line, name) ?? "");
}
