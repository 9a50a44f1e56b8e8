/** Parses and prints listening addresses: `host:port`, `:port`, or `unix:/path/to/socket`. */
import { isIPv4 } from "node:net";
import { resolve } from "node:path";

/** A parsed address. */
export type Address =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number } // An empty host stands for every interface.
  | { readonly kind: "unix"; readonly path: string };

/** Parses an address; undefined when it is malformed. */
export function parseAddress(text: string): Address | undefined {
  if (text.startsWith("unix:")) {
    const path = text.slice("unix:".length).replace(/^\/\/(?=\/)/, "");
    return path === "" ? undefined : { kind: "unix", path };
  }
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65535) return undefined;
  return { kind: "tcp", host: bracketed ?? plain ?? "", port: Number(port) };
}

/** Returns whether an address stands for every interface of the machine. */
export function isEveryInterface(address: Address): boolean {
  return address.kind === "tcp" && ["", "0.0.0.0", "::"].includes(address.host);
}

/** Prints an address in the form of the configuration. */
export function printAddress(address: Address): string {
  if (address.kind === "unix") return `unix:${address.path}`;
  return `${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`;
}

/** Returns whether two addresses certainly cannot be listened at together: the same path, or the same port on overlapping interfaces. */
export function areConflicting(left: Address, right: Address): boolean {
  if (left.kind === "unix" || right.kind === "unix")
    return left.kind === "unix" && right.kind === "unix" && resolve(left.path) === resolve(right.path);
  return (
    left.port === right.port && left.port !== 0 && (left.host === right.host || includesHost(left, right) || includesHost(right, left))
  );
}

/**
 * Returns whether a wildcard includes a host. As the system opens it, the IPv6 wildcard includes IPv4; that of IPv4 includes only IPv4
 * addresses. What a host name resolves to is not known here.
 */
const includesHost = (every: Address & { readonly kind: "tcp" }, { host }: { readonly host: string }): boolean =>
  isEveryInterface(every) && (every.host !== "0.0.0.0" || isIPv4(host));
