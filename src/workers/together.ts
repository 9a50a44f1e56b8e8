/** The metrics of a server of several processes: of the primary, of every worker, and of workers that have ended. */
import { printExposition } from "../observe/exposition.ts";
import type { Reading } from "../observe/instrument.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Member } from "./member.ts";
import { keptOf, openGrowth, sumReadings } from "./sum-readings.ts";

/** The combined metrics. */
export interface Together extends Metrics {
  /**
   * Reports that a worker has ended; `last` are its final readings, if it could send them. Otherwise its last known readings continue
   * to count.
   */
  readonly ended: (member: Member, last?: readonly Reading[]) => void;
}

/** How many milliseconds a worker may take; for a slower one, its previous readings are used. */
const patience = 1000;

/** Opens them, given the primary's own metrics. */
export function openTogether(own: Metrics, members: () => readonly Member[]): Together {
  const known = new Map<Member, readonly Reading[]>();
  /** Workers that have sent their final readings. They may answer for a while yet, but count as ended. */
  const over = new WeakSet<Member>();
  let gone: readonly Reading[] = [];
  const growing = openGrowth();
  const read = async (member: Member): Promise<void> => {
    const answer = member.ask("readings", undefined).then(
      (readings) => {
        if (!over.has(member) && !member.isGone()) known.set(member, readings);
      },
      () => undefined, // its previous readings are used
    );
    await within(patience, answer);
  };
  const collect = async (): Promise<readonly Reading[]> => {
    if (!own.enabled) return [];
    const asked = members();
    await Promise.all(asked.map(read));
    const primary = await own.collect();
    // Read synchronously, so that a worker that has just ended is counted either here or among the ended ones.
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
