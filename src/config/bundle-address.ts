/** Which URLs bundles may be fetched from. */
import { isIP } from "node:net";

/** Returns why a bundle must not be fetched from a URL; undefined when it may. The URL is not quoted, because it may hold a password. */
export function bundleAddressProblem(address: string): string | undefined {
  if (!URL.canParse(address)) return "is not an address: write https://host/path";
  const url = new URL(address);
  if (url.username !== "" || url.password !== "")
    return "holds a name or a password: write them to `storage.bundle.username` and `storage.bundle.password`";
  // The signature protects the integrity of a bundle, but over http credentials would be visible, and an old bundle could be replayed.
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) return undefined;
  return "must be https; http is for this machine alone (localhost)";
}

/** Returns whether a host is this machine itself. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));
