/** Counts failed logins by address: clients that fail repeatedly are slowed down, and then blocked for a while (D7). */
import { isIPv6 } from "node:net";

/** The state of failed logins. */
export interface FailedLogins {
  /** Returns whether a login from this address may be tried now. If so, it counts as pending until its result is reported. */
  readonly begin: (peer: string) => { readonly kind: "may try" } | { readonly kind: "blocked"; readonly seconds: number };
  /** Reports a success, which clears earlier failures. */
  readonly succeeded: (peer: string) => void;
  /** Reports a failure; returns how many milliseconds its answer must be delayed. */
  readonly failed: (peer: string) => number;
  /** Reports that the result is unknown. */
  readonly abandoned: (peer: string) => void;
}

/** The limits. */
export interface LoginLimits {
  /** How many failures are answered without delay. */
  readonly free: number;
  /** The number of failures, including pending logins, after which an address is blocked. */
  readonly most: number;
  readonly firstDelayMilliseconds: number;
  readonly longestDelayMilliseconds: number;
  /** How many milliseconds an address is blocked and failures are remembered. */
  readonly blockMilliseconds: number;
  /** The most addresses that are remembered; the oldest are dropped first. */
  readonly addresses: number;
}

const usual: LoginLimits = {
  free: 3,
  most: 10,
  firstDelayMilliseconds: 100,
  longestDelayMilliseconds: 2000,
  blockMilliseconds: 5 * 60_000,
  addresses: 10_000,
};

interface Record {
  failures: number;
  pending: number;
  last: number;
}

/** Opens it without failures; `now` is a monotonic clock. */
export function openFailedLogins(limits: LoginLimits = usual, now: () => number = () => performance.now()): FailedLogins {
  const records = new Map<string, Record>();

  const recordOf = (peer: string): Record => {
    const address = addressOf(peer);
    const known = records.get(address);
    const record = known !== undefined && (known.pending > 0 || now() - known.last < limits.blockMilliseconds) ? known : fresh();
    // Records are ordered by last use.
    records.delete(address);
    records.set(address, record);
    for (const first of records.keys()) {
      if (records.size <= limits.addresses) break;
      records.delete(first);
    }
    return record;
  };
  const fresh = (): Record => ({ failures: 0, pending: 0, last: now() });
  const end = (peer: string): Record => {
    const record = recordOf(peer);
    record.pending = Math.max(0, record.pending - 1);
    return record;
  };

  return {
    begin: (peer) => {
      const record = recordOf(peer);
      if (record.failures + record.pending >= limits.most) {
        const left = record.failures >= limits.most ? record.last + limits.blockMilliseconds - now() : 1000;
        return { kind: "blocked", seconds: Math.max(1, Math.ceil(left / 1000)) };
      }
      record.pending++;
      return { kind: "may try" };
    },
    succeeded: (peer) => {
      end(peer).failures = 0;
    },
    abandoned: (peer) => void end(peer),
    failed: (peer) => {
      const record = end(peer);
      record.failures++;
      record.last = now();
      const beyond = record.failures - limits.free;
      return beyond <= 0 ? 0 : Math.min(limits.longestDelayMilliseconds, limits.firstDelayMilliseconds * 2 ** (beyond - 1));
    },
  };
}

/**
 * Returns what counts as one address: an IPv4 address, the /64 of an IPv6 address (which one customer has entirely), or the socket
 * file.
 */
export function addressOf(peer: string): string {
  const written = peer.replace(/^ipv[46]:/, "").replace(/%[^\]:]*/, "");
  const host = /^\[(.*)\](?::\d+)?$/.exec(written)?.[1] ?? withoutPort(written);
  const plain = host.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIPv6(plain) ? `${firstHalf(plain)}::/64` : plain;
}

/** Removes the port. Every peer has one; without brackets, it could not be told from the last group of an IPv6 address. */
const withoutPort = (text: string): string => text.replace(/:\d+$/, "");

function firstHalf(address: string): string {
  const [before = "", after = ""] = address.split("::", 2);
  const head = before === "" ? [] : before.split(":");
  // An IPv4 suffix counts as two groups.
  const tail = after === "" ? 0 : after.split(":").length + (after.includes(".") ? 1 : 0);
  const zeros = address.includes("::") ? Math.max(0, 8 - head.length - tail) : 0;
  const groups = [...head, ...Array.from({ length: zeros }, () => "0"), ...(after === "" ? [] : after.split(":"))];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
