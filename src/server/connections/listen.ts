/** Opens listening sockets, TCP or Unix; what goes wrong is a refusal of one sentence that names the setting. */
import { chmodSync, existsSync, lstatSync, rmSync } from "node:fs";
import { connect, type Server } from "node:net";
import { dirname } from "node:path";
import { isEveryInterface, printAddress, type Address } from "../../config/address.ts";
import { codeOf, messageOf, refusal } from "../../refusal.ts";

/** What listens and where: its name for messages, such as "HTTP", and the setting of its address. */
export interface Listener {
  readonly name: string;
  readonly setting: string;
  readonly address: Address;
  /** The permissions of a Unix socket file. */
  readonly fileMode: number;
  /** Set when several of our processes listen at this address; `removeStaleSocket` has then been called once for all of them. */
  readonly isShared?: boolean;
}

/** How many connections the kernel queues until we accept them. */
const backlog = 4096;

/** The longest path that fits into a Unix socket address (`sun_path`). */
const longestPath = process.platform === "linux" ? 107 : 103;

const reasons: { readonly [code: string]: string } = {
  EADDRINUSE: "is in use by another process",
  EACCES: "may not be used: permission denied",
  EADDRNOTAVAIL: "is not an address of this machine",
  ENOTFOUND: "names an unknown host",
  EAI_AGAIN: "names a host that cannot be looked up now",
  ENOENT: "is in a folder that does not exist",
  ENOTDIR: "is in a folder that does not exist",
};

/** Listens, and returns the address in use; for port 0, with the port that the system chose. Rejects with a refusal when that fails. */
export async function listen(server: Server, listener: Listener): Promise<Address> {
  const { address, isShared = false } = listener;
  if (!isShared) await removeStaleSocket(listener);
  await new Promise<void>((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(cannotListen(listener, error.code ?? error.message));
    server.once("error", failed);
    const listening = (): void => {
      server.off("error", failed);
      resolve();
    };
    if (address.kind === "unix") server.listen({ path: address.path, backlog }, listening);
    else server.listen({ port: address.port, backlog, ...(address.host !== "" && { host: address.host }) }, listening);
  });
  if (address.kind === "unix") {
    setMode(address.path, listener);
    return address;
  }
  const bound = server.address();
  return typeof bound === "object" && bound !== null ? { ...address, port: bound.port } : address;
}

function cannotListen(listener: Listener, code: string): Error {
  return refusal(`${named(listener)} ${reasons[code] ?? `cannot be used (${code})`} (setting ${listener.setting})`);
}

const named = ({ name, address }: Listener): string => `the ${name} address \`${printAddress(address)}\``;

function setMode(path: string, listener: Listener): void {
  try {
    chmodSync(path, listener.fileMode);
  } catch (error) {
    const why = codeOf(error) ?? messageOf(error);
    throw refusal(`${named(listener)} cannot have the mode 0o${listener.fileMode.toString(8)} (setting server.udsFileMode): ${why}`);
  }
}

/** Removes a socket file that a dead process left behind. Rejects with a refusal when the path cannot be used. */
export async function removeStaleSocket(listener: Listener): Promise<void> {
  if (listener.address.kind !== "unix") return;
  const { path } = listener.address;
  const length = Buffer.byteLength(path);
  if (length > longestPath)
    throw refusal(
      `${named(listener)} is too long: its path has ${length} bytes and the system allows ${longestPath} (setting ${listener.setting})`,
    );
  // Node reports a missing directory as "permission denied".
  if (!existsSync(dirname(path))) throw cannotListen(listener, "ENOENT");
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw refusal(`${named(listener)} is a file that is not a socket (setting ${listener.setting})`);
  const why = await whyTaken(path);
  if (why !== undefined) throw cannotListen(listener, why);
  rmSync(path, { force: true });
}

/** Returns the error code that tells why a socket file must not be removed; undefined when nobody listens there. */
function whyTaken(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve("EADDRINUSE");
    });
    // A connection that is refused for permissions or a full queue does not prove that nobody listens.
    socket.once("error", ({ code = "" }: NodeJS.ErrnoException) => {
      if (code === "EACCES") resolve(code);
      else resolve(code === "ECONNREFUSED" || code === "ENOENT" ? undefined : "EADDRINUSE");
    });
  });
}

/** Returns the address as a client on this machine would write it in a URL. */
export function clientHost(address: Address): string {
  if (address.kind === "unix") return printAddress(address);
  return printAddress(isEveryInterface(address) ? { ...address, host: "localhost" } : address);
}
