/** Which URLs bundles may be fetched from. */
import { isIP } from "node:net";

/** Says why a bundle cannot be fetched from an address, in words that do not repeat it: it may hold a password. */
export function bundleAddressProblem(address: string): string | undefined {
  if (!URL.canParse(address)) return "is not an address: write https://host/path";
  const url = new URL(address);
  if (url.username !== "" || url.password !== "")
    return "holds a name or a password: write them to `storage.bundle.username` and `storage.bundle.password`";
  // Integrity is the signature's; but credentials would be shown to the network, and an old bundle could be served for a new one.
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) return undefined;
  return "must be https; http is for this machine alone (localhost)";
}

/** Says whether a host is this machine itself: what comes from there passes no other. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));
