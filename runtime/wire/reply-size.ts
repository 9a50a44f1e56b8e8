/** Bounds the size of a reply: a few long names, repeated in many results, must not fill the memory. */
import type { RequestLimits } from "./request.ts";

/** Thrown when a reply exceeds the bound; nothing of it is sent. */
export const tooLargeReply: unique symbol = Symbol("too large a reply");

const least = 2 ** 24;
const perAction = 128;

/** The most UTF-16 units of a reply. A request at the limits with names of usual length stays below. */
export const largestReply = ({ maxResourcesPerRequest = 0, maxActionsPerResource = 0 }: Partial<RequestLimits>): number =>
  Math.max(least, maxResourcesPerRequest * maxActionsPerResource * perAction);

/** Throws `tooLargeReply` if the reply is longer than `most`. */
export function bound(written: string, most: number): void {
  if (written.length > most) throw tooLargeReply;
}
