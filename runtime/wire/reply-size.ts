/** Bounds the size of a reply: a few long names, asked about many times, must not fill the memory. */
import type { RequestLimits } from "./request.ts";

/** What is thrown when a reply becomes larger than that: nothing of it is sent. */
export const tooLargeReply: unique symbol = Symbol("too large a reply");

const least = 2 ** 24;
const perAction = 128;

/** The most characters of a reply: whoever asks as much as the limits allow, by names of usual length, is answered. */
export const largestReply = ({ maxResourcesPerRequest = 0, maxActionsPerResource = 0 }: Partial<RequestLimits>): number =>
  Math.max(least, maxResourcesPerRequest * maxActionsPerResource * perAction);

/** Ends a reply that has become too large. */
export function bound(written: string, most: number): void {
  if (written.length > most) throw tooLargeReply;
}
