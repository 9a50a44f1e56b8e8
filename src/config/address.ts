/** Parses and prints listening addresses: `host:port`, `:port`, or `unix:/path/to/socket`. */
import { isIPv4 } from "node:net";
import { resolve } from "node:path";

/** An address, read. */
export type Address =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number } // an empty host is every interface
  | { readonly kind: "unix"; readonly path: string };

/** Reads an address, or returns undefined when the text is not one. */
export function parseAddress(text: string): Address | undefined {
  if (text.startsWith("unix:")) {
    const path = text.slice("unix:".length).replace(/^\/\/(?=\/)/, "");
    return path === "" ? undefined : { kind: "unix", path };
  }
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65535) return undefined;
  return { kind: "tcp", host: bracketed ?? plain ?? "", port: Number(port) };
}

/** Says whether an address is every interface of the machine. */
export function isEveryInterface(address: Address): boolean {
  return address.kind === "tcp" && ["", "0.0.0.0", "::"].includes(address.host);
}

/** Prints an address as configuration writes it. */
export function printAddress(address: Address): string {
  if (address.kind === "unix") return `unix:${address.path}`;
  return `${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`;
}

/** Says whether two addresses surely cannot be listened at together: one path, or one port of interfaces that they share. */
export function areShared(left: Address, right: Address): boolean {
  if (left.kind === "unix" || right.kind === "unix")
    return left.kind === "unix" && right.kind === "unix" && resolve(left.path) === resolve(right.path);
  return left.port === right.port && left.port !== 0 && (left.host === right.host || holds(left, right) || holds(right, left));
}

/** The wildcard of IPv6 is one of IPv4 too, as the system opens it; that of IPv4 has no other addresses, and what a name leads to is not known. */
const holds = (every: Address & { readonly kind: "tcp" }, { host }: { readonly host: string }): boolean =>
  isEveryInterface(every) && (every.host !== "0.0.0.0" || isIPv4(host));
