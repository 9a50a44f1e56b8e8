/** The metrics of a server of several processes: those of the primary, of every worker, and of those that are gone. */
import { printExposition } from "../observe/exposition.ts";
import type { Reading } from "../observe/instrument.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Member } from "./member.ts";
import { keptOf, openGrowth, sumReadings } from "./sum-readings.ts";

/** The metrics, read together. */
export interface Together extends Metrics {
  /** A worker is gone; `last` is what it said in the end, if it could. What it had counted when it was asked last goes on counting. */
  readonly ended: (member: Member, last?: readonly Reading[]) => void;
}

/** Milliseconds that a worker may take; for one that is busy for longer, its previous readings count. */
const patience = 1000;

/** Opens it over the primary's own metrics. */
export function openTogether(own: Metrics, members: () => readonly Member[]): Together {
  const known = new Map<Member, readonly Reading[]>();
  /** Who has said the last: it may go on to answer for a while, and is counted among those that are gone. */
  const over = new WeakSet<Member>();
  let gone: readonly Reading[] = [];
  const growing = openGrowth();
  const read = async (member: Member): Promise<void> => {
    const answer = member.ask("readings", undefined).then(
      (readings) => {
        if (!over.has(member) && !member.isGone()) known.set(member, readings);
      },
      () => undefined, // what it had counted is known from before
    );
    await within(patience, answer);
  };
  const collect = async (): Promise<readonly Reading[]> => {
    if (!own.enabled) return [];
    const asked = members();
    await Promise.all(asked.map(read));
    const primary = await own.collect();
    // All at one moment: who has ended meanwhile is either here or among those that are gone.
    return growing(sumReadings([primary, ...asked.map((member) => known.get(member) ?? []), gone]));
  };
  return {
    ...own,
    collect,
    text: async () => printExposition(await collect()),
    ended: (member, last = known.get(member) ?? []) => {
      over.add(member);
      known.delete(member);
      gone = sumReadings([gone, keptOf(last)]);
    },
  };
}

async function within(milliseconds: number, what: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([what, new Promise<void>((resolve) => void (timer = setTimeout(resolve, milliseconds)))]);
  clearTimeout(timer);
}
