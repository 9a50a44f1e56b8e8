/** Opens listening sockets, TCP or Unix; what goes wrong is a refusal of one sentence that names the setting. */
import { chmodSync, existsSync, lstatSync, rmSync } from "node:fs";
import { connect, type Server } from "node:net";
import { dirname } from "node:path";
import { isEveryInterface, printAddress, type Address } from "../../config/address.ts";
import { codeOf, messageOf, refusal } from "../../refusal.ts";

/** What listens, for messages: "HTTP" and the setting that says where. */
export interface Listener {
  readonly name: string;
  readonly setting: string;
  readonly address: Address;
  /** The permissions of a socket file. */
  readonly fileMode: number;
  /** Other processes of ours listen there too, and `makeRoom` was called for all of them. */
  readonly takesTurns?: boolean;
}

/** Connections that the system holds for us until we take them. */
const backlog = 4096;

/** A longer path does not fit into what the system calls a socket address. */
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

/** Listens and returns the address in use, its port chosen by the system when 0 was asked for. */
export async function listen(server: Server, listener: Listener): Promise<Address> {
  const { address, takesTurns = false } = listener;
  if (!takesTurns) await makeRoom(listener);
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

/** Removes a socket file that nobody answers, left over from a process that died; rejects with a refusal when a path cannot be used. */
export async function makeRoom(listener: Listener): Promise<void> {
  if (listener.address.kind !== "unix") return;
  const { path } = listener.address;
  const length = Buffer.byteLength(path);
  if (length > longestPath)
    throw refusal(
      `${named(listener)} is too long: its path has ${length} bytes and the system allows ${longestPath} (setting ${listener.setting})`,
    );
  // Node says "permission denied" where a folder is missing.
  if (!existsSync(dirname(path))) throw cannotListen(listener, "ENOENT");
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw refusal(`${named(listener)} is a file that is not a socket (setting ${listener.setting})`);
  const why = await whyTaken(path);
  if (why !== undefined) throw cannotListen(listener, why);
  rmSync(path, { force: true });
}

/** Returns the code of why a socket file cannot be replaced; undefined when nobody listens there. */
function whyTaken(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve("EADDRINUSE");
    });
    // Who may not connect, or stands in a queue that is full, does not know that nobody is there.
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
