/** The TLS certificates of both listeners: read, watched for changes, and replaced while serving (D14). */
import type { SecureContextOptions, Server as TlsServer } from "node:tls";
import type { Config } from "../../config/settings.ts";
import type { Log } from "../../observe/log.ts";
import { messageOf, refusal } from "../../refusal.ts";
import { logRejectedCertificates, type HandshakeFailed } from "./rejected-certificates.ts";
import { begins, expires, holds, pipesAmong, readPair, stampsOf, type KeyPair, type TlsFiles } from "./tls-files.ts";

/** The key pair in use. */
export interface Tls {
  readonly current: () => KeyPair;
  /** Calls back whenever another key pair has come into use. */
  readonly watch: (changed: (pair: KeyPair) => void) => void;
  readonly handshakeFailed: HandshakeFailed;
  readonly close: () => void;
}

/** The settings that are read here. */
export type TlsConfig = Pick<Config, "server.tls.cert" | "server.tls.key" | "server.tls.caCert">;

/**
 * The interval in milliseconds at which the files are checked. Polling time stamps also detects what file system events miss, such as a
 * swapped symbolic link.
 */
const lookMilliseconds = 500;

/** When files that could not be used are tried again, changed or not: too many open files, for example, leave no trace in their stamps. */
const retryMilliseconds = 2000;

/**
 * Opens TLS as configured; undefined when it is not. Throws a refusal when the files cannot be used, unless there is a key pair in force
 * already: that of the other processes of the server, which is replaced only as theirs is.
 */
export function openTls(config: TlsConfig, log: Pick<Log, "info" | "warn" | "error">, inForce?: KeyPair): Tls | undefined {
  const files = filesOf(config);
  if (files === undefined) return undefined;
  const pipes = pipesAmong(files);
  for (const { called, setting } of pipes)
    log.warn(`${called} is not a regular file: it is read once, now, and a change of it takes a restart (setting ${setting})`);
  let stamps = stampsOf(files);
  let pair = inForce ?? readPair(files);
  let toldExpired = false;
  /** When a key pair that is not valid yet, or could not be used, is tried again: milliseconds since 1970. */
  let dueAt: number | undefined;
  /** Why the changed files cannot be used, as it was logged. */
  let toldWhy: string | undefined;
  const watchers = new Set<(pair: KeyPair) => void>();

  const lookAtTime = (): void => {
    const end = expires(pair);
    if (toldExpired || end.getTime() > Date.now()) return;
    toldExpired = true;
    log.warn(`the certificate \`${files.cert}\` expired at ${end.toISOString()}: clients will refuse it (setting server.tls.cert)`);
  };
  const takeIn = (): void => {
    const end = expires(pair);
    try {
      for (const { called, setting } of pipesAmong(files)) {
        const since = pipes.some((pipe) => pipe.setting === setting) ? ", and is read at the start alone" : " any more";
        throw refusal(`${called} is not a regular file${since} (setting ${setting})`);
      }
      const next = readPair(files);
      refuseUntimely(next);
      for (const changed of watchers) changed(next);
      pair = next;
      toldExpired = false;
      toldWhy = undefined;
      log.info(`the changed certificate \`${files.cert}\` is in force`);
    } catch (error) {
      dueAt ??= Date.now() + retryMilliseconds;
      const why = messageOf(error);
      if (why === toldWhy) return;
      toldWhy = why;
      const validity = end.getTime() > Date.now() ? "valid until" : "expired at";
      log.error(`the changed TLS files cannot be used, the previous certificate stays in use (${validity} ${end.toISOString()}): ${why}`);
    }
  };
  /**
   * Throws a refusal for a certificate outside its validity period, since no client would accept it, unless the current one is outside
   * its own too.
   */
  const refuseUntimely = (next: KeyPair): void => {
    const now = Date.now();
    const [end, from, until] = [expires(pair), begins(next), expires(next)];
    if (end.getTime() <= now || begins(pair).getTime() > now) return;
    const said = `the certificate \`${files.cert}\``;
    if (until.getTime() <= now) throw refusal(`${said} expired at ${until.toISOString()} (setting server.tls.cert)`);
    if (from.getTime() <= now) return;
    dueAt = Math.min(from.getTime(), end.getTime());
    throw refusal(`${said} is not valid before ${from.toISOString()}, and comes into force then (setting server.tls.cert)`);
  };
  let seen = stamps;
  const look = (): void => {
    lookAtTime();
    const isDue = dueAt !== undefined && Date.now() >= dueAt;
    const now = stampsOf(files);
    // Certificate and key are two files: wait until both have been unchanged for one interval.
    const settled = now === seen;
    seen = now;
    if (!settled || (now === stamps && !isDue)) return;
    if (now !== stamps) toldWhy = undefined;
    dueAt = undefined;
    stamps = now;
    takeIn();
  };

  lookAtTime();
  if (inForce !== undefined && !holds(files, inForce)) takeIn();
  const timer = setInterval(look, lookMilliseconds).unref();
  return {
    current: () => pair,
    watch: (changed) => void watchers.add(changed),
    handshakeFailed: logRejectedCertificates(log),
    close: () => clearInterval(timer),
  };
}

/** Throws a refusal where several processes would read the same pipe, each for itself. */
export function refuseSharedPipes(config: TlsConfig): void {
  const files = filesOf(config);
  if (files === undefined) return;
  for (const { called, setting } of pipesAmong(files))
    throw refusal(
      `${called} is not a regular file: each worker reads it, so put it into one, or set server.workers to 1 (setting ${setting})`,
    );
}

function filesOf(config: TlsConfig): TlsFiles | undefined {
  const [cert, key, ca] = [config["server.tls.cert"], config["server.tls.key"], config["server.tls.caCert"]];
  if (cert === "" && key === "") return undefined; // The configuration is only valid with both or neither.
  return { cert, key, ...(ca !== "" && { ca }) };
}

/** Returns the options for a listener's secure context. */
function contextOptions({ cert, key, ca }: KeyPair): SecureContextOptions {
  return { cert, key, minVersion: "TLSv1.2", ...(ca !== undefined && { ca }) };
}

/** Returns the options for a TLS listener. */
export function serverOptions(
  pair: KeyPair,
): SecureContextOptions & { readonly requestCert: boolean; readonly rejectUnauthorized: boolean } {
  const known = pair.ca !== undefined;
  return { ...contextOptions(pair), requestCert: known, rejectUnauthorized: known };
}

/** Updates a listener whenever the key pair changes, and reports failed handshakes. Open connections keep theirs. */
export function updateOnChange(tls: Tls, listener: TlsServer): void {
  listener.on("tlsClientError", tls.handshakeFailed);
  tls.watch((pair) => listener.setSecureContext(contextOptions(pair)));
}
