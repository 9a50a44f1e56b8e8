/** `authz healthcheck`: asks a server whether it serves; exits with 0 when it does and with 1 when not. */
import { Command, InvalidArgumentError, Option } from "commander";
import { readFileSync } from "node:fs";
import { parseDuration } from "../config/duration.ts";
import type { Environment } from "../config/environment.ts";
import { demandConfig } from "../config/load.ts";
import { isEveryInterface, parseAddress, type Address } from "../config/address.ts";
import { messageOf, refusal } from "../refusal.ts";
import { probeGrpc, probeHttp, type Probe } from "../server/probe.ts";
import { exitCodes, type CommandLine } from "./command.ts";

interface HealthcheckFlags {
  readonly config?: string;
  readonly kind: "grpc" | "http";
  readonly hostPort?: string;
  readonly timeout: number;
  readonly insecure: boolean;
  readonly tls: boolean;
  readonly caCert?: string;
}

/** Describes the command. */
export function healthcheckCommand(line: CommandLine): Command {
  return new Command("healthcheck")
    .alias("hc")
    .description("ask a server whether it serves")
    .addOption(
      new Option("--config <file>", "configuration file of the server, from which its address is taken (AUTHZ_CONFIG)").conflicts([
        "hostPort",
        "caCert",
      ]),
    )
    .addOption(new Option("--kind <kind>", "which endpoint is asked").choices(["grpc", "http"]).env("AUTHZ_HC_KIND").default("grpc"))
    .option("--host-port <address>", "where the server listens (AUTHZ_HC_HOSTPORT; default 127.0.0.1:3593, for http 127.0.0.1:3592)")
    .addOption(new Option("--timeout <duration>", "how long to wait").argParser(timeoutOption).env("AUTHZ_HC_TIMEOUT").default(2000, "2s"))
    .addOption(new Option("--ca-cert <file>", "certificate of the authority that signed the server's").env("AUTHZ_HC_CACERT"))
    .option("--insecure", "do not verify the server's certificate (AUTHZ_HC_INSECURE)", isOn(line.environment, "AUTHZ_HC_INSECURE"))
    .option("--no-tls", "the server does not use TLS (AUTHZ_HC_NOTLS)")
    .action(async (flags: HealthcheckFlags) => line.finish(await check(line, flags)));
}

async function check(line: CommandLine, flags: HealthcheckFlags): Promise<number> {
  try {
    line.out(`${await (flags.kind === "http" ? probeHttp : probeGrpc)(probeOf(line.environment, flags))}\n`);
    return exitCodes.ok;
  } catch (error) {
    throw refusal(`the server is not healthy: ${messageOf(error)}`);
  }
}

function probeOf(environment: Environment, flags: HealthcheckFlags): Probe {
  const rest = {
    timeout: flags.timeout,
    insecure: flags.insecure,
    ...(flags.caCert !== undefined && { ca: readCertificate(flags.caCert) }),
  };
  const file = flags.config ?? (flags.hostPort === undefined ? environment["AUTHZ_CONFIG"] : undefined);
  if (file !== undefined) {
    const { config } = demandConfig(file, [], environment);
    // TLS is no setting yet, so the server of a valid configuration does not use it.
    return {
      ...rest,
      address: onThisMachine(config[flags.kind === "http" ? "server.httpListenAddr" : "server.grpcListenAddr"]),
      tls: false,
    };
  }
  const text = flags.hostPort ?? environment["AUTHZ_HC_HOSTPORT"] ?? (flags.kind === "http" ? "127.0.0.1:3592" : "127.0.0.1:3593");
  const address = parseAddress(text);
  if (address === undefined) throw refusal(`\`${text}\` is not an address: write host:port or unix:/path`);
  return { ...rest, address: onThisMachine(address), tls: flags.tls && !isOn(environment, "AUTHZ_HC_NOTLS") };
}

/** A server on every interface is asked on the loopback. */
function onThisMachine(address: Address): Address {
  return address.kind === "tcp" && isEveryInterface(address) ? { ...address, host: "127.0.0.1" } : address;
}

function readCertificate(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw refusal(`the certificate \`${file}\` cannot be read`);
  }
}

function timeoutOption(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds === 0) throw new InvalidArgumentError("It must be a duration such as 2s.");
  return milliseconds;
}

function isOn(environment: Environment, name: string): boolean {
  return /^(1|true|t|yes)$/i.test(environment[name] ?? "");
}
