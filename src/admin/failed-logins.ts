/** Failed logins, by the address they come from: who fails repeatedly is slowed down, and then not heard for a while (D7). */
import { isIPv6 } from "node:net";

/** What is known of failed logins. */
export interface FailedLogins {
  /** Says whether a login from here may be tried now; then it is counted until its end is told. */
  readonly begin: (peer: string) => { readonly kind: "may try" } | { readonly kind: "blocked"; readonly seconds: number };
  /** Tells that it was right: what failed before is forgiven. */
  readonly succeeded: (peer: string) => void;
  /** Tells that it was wrong; returns for how long its answer is held back, in milliseconds. */
  readonly failed: (peer: string) => number;
  /** Tells that nobody knows whether it was right. */
  readonly abandoned: (peer: string) => void;
}

/** How patient it is. */
export interface Patience {
  /** Failures that are answered at once. */
  readonly free: number;
  /** Failures, with those on their way, after which nobody is heard. */
  readonly most: number;
  readonly firstDelayMilliseconds: number;
  readonly longestDelayMilliseconds: number;
  /** How long nobody is heard, and how long failures are remembered. */
  readonly blockMilliseconds: number;
  /** Addresses that are remembered: who makes up more makes us forget the first ones. */
  readonly addresses: number;
}

const usual: Patience = {
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

/** Opens an empty memory. `now` is a clock that never goes back. */
export function openFailedLogins(patience: Patience = usual, now: () => number = () => performance.now()): FailedLogins {
  const records = new Map<string, Record>();

  const recordOf = (peer: string): Record => {
    const address = addressOf(peer);
    const known = records.get(address);
    const record = known !== undefined && (known.pending > 0 || now() - known.last < patience.blockMilliseconds) ? known : fresh();
    // The one that was touched last stands at the end.
    records.delete(address);
    records.set(address, record);
    for (const first of records.keys()) {
      if (records.size <= patience.addresses) break;
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
      if (record.failures + record.pending >= patience.most) {
        const left = record.failures >= patience.most ? record.last + patience.blockMilliseconds - now() : 1000;
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
      const beyond = record.failures - patience.free;
      return beyond <= 0 ? 0 : Math.min(patience.longestDelayMilliseconds, patience.firstDelayMilliseconds * 2 ** (beyond - 1));
    },
  };
}

/** Returns what counts as one address: an IPv4 address, the /64 of an IPv6 address (one customer has all of it), the socket file. */
export function addressOf(peer: string): string {
  const written = peer.replace(/^ipv[46]:/, "").replace(/%[^\]:]*/, "");
  const host = /^\[(.*)\](?::\d+)?$/.exec(written)?.[1] ?? withoutPort(written);
  const plain = host.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIPv6(plain) ? `${firstHalf(plain)}::/64` : plain;
}

/** Without brackets the last number of an IPv6 address cannot be told from a port; every peer has one. */
const withoutPort = (text: string): string => text.replace(/:\d+$/, "");

function firstHalf(address: string): string {
  const [before = "", after = ""] = address.split("::", 2);
  const head = before === "" ? [] : before.split(":");
  // An IPv4 address at the end counts as two.
  const tail = after === "" ? 0 : after.split(":").length + (after.includes(".") ? 1 : 0);
  const zeros = address.includes("::") ? Math.max(0, 8 - head.length - tail) : 0;
  const groups = [...head, ...Array.from({ length: zeros }, () => "0"), ...(after === "" ? [] : after.split(":"))];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
