/** Opens and names listening addresses; what goes wrong is said in one sentence that names the setting. */
import { existsSync, lstatSync, unlinkSync } from "node:fs";
import type { Server } from "node:http";
import { connect } from "node:net";
import { dirname } from "node:path";
import { isEveryInterface, printAddress, type Address } from "../config/address.ts";
import { refusal } from "../refusal.ts";

/** What listens, for messages: "HTTP" and the setting that says where. */
export interface Listener {
  readonly name: string;
  readonly setting: string;
  readonly address: Address;
}

const reasons: { readonly [code: string]: string } = {
  EADDRINUSE: "is in use by another process",
  EACCES: "may not be used: permission denied",
  EADDRNOTAVAIL: "is not an address of this machine",
  ENOTFOUND: "names an unknown host",
  EAI_AGAIN: "names a host that cannot be looked up now",
  ENOENT: "is in a folder that does not exist",
  ENOTDIR: "is in a folder that does not exist",
};

/** Returns the refusal for an address that cannot be listened on. */
export function cannotListen(listener: Listener, code: string): Error {
  return refusal(
    `the ${listener.name} address \`${printAddress(listener.address)}\` ${reasons[code] ?? `cannot be used (${code})`} (setting ${listener.setting})`,
  );
}

/** Listens and returns the address in use, its port chosen by the system when 0 was asked for. */
export async function listen(server: Server, listener: Listener): Promise<Address> {
  const { address } = listener;
  if (address.kind === "unix") await removeStaleSocket(address.path, listener);
  await new Promise<void>((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(cannotListen(listener, error.code ?? error.message));
    server.once("error", failed);
    const listening = (): void => {
      server.off("error", failed);
      resolve();
    };
    if (address.kind === "unix") server.listen(address.path, listening);
    else server.listen({ port: address.port, ...(address.host !== "" && { host: address.host }) }, listening);
  });
  const bound = server.address();
  return address.kind === "tcp" && typeof bound === "object" && bound !== null ? { ...address, port: bound.port } : address;
}

/** A socket file that nobody answers is left over from a process that died. */
export async function removeStaleSocket(path: string, listener: Listener): Promise<void> {
  // Node says "permission denied" where a folder is missing.
  if (!existsSync(dirname(path))) throw cannotListen(listener, "ENOENT");
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket())
    throw refusal(`the ${listener.name} address \`unix:${path}\` is a file that is no socket (setting ${listener.setting})`);
  if (await answers(path)) throw cannotListen(listener, "EADDRINUSE");
  unlinkSync(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** Returns the address as a client on this machine would write it in a URL. */
export function clientHost(address: Address): string {
  if (address.kind === "unix") return printAddress(address);
  return printAddress(isEveryInterface(address) ? { ...address, host: "localhost" } : address);
}
