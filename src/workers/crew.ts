/** The workers of a server: started together, sent every policy set, and replaced one by one when they end. */
import type { Log } from "../observe/log.ts";
import type { Addresses } from "../server/start/addresses.ts";
import { openDistribution } from "./distribution.ts";
import type { SetTaker } from "../take-in.ts";
import type { Member } from "./member.ts";
import type { Beginning } from "./messages.ts";
import { watchPulses } from "./pulse.ts";
import { openReplacement } from "./replacement.ts";

/** All workers of a server. */
export interface Crew {
  /** The workers that have been started and are not known to have ended. */
  readonly members: () => readonly Member[];
  /** Distributes policy sets to all of them. */
  readonly taker: SetTaker;
  /** Starts all workers; rejects with the error of the first that cannot start. */
  readonly begin: () => Promise<void>;
  /** Makes all workers listen, and then serve, together. From then on, a worker that ends is replaced. */
  readonly serve: () => Promise<Addresses>;
  /** Rejects with a refusal when no worker serves and none can be started. */
  readonly failed: Promise<never>;
  /** Ends replacing workers and checking whether they are stuck. */
  readonly disband: () => void;
}

/** How workers are started, and the callbacks. */
export interface CrewOptions {
  readonly count: number;
  readonly start: (number: number) => Member;
  readonly beginning: (number: number) => Beginning;
  readonly wantWhole: () => void;
  /** Called when a worker has ended by itself. */
  readonly lost: (member: Member) => void;
  readonly log: Log;
}

/** Opens the crew; no worker is started yet. */
export function openCrew(options: CrewOptions): Crew {
  const { count, log } = options;
  const members = new Map<number, Member>();
  const everyone = (): readonly Member[] => [...members.values()];
  let stopAsking: () => void = () => undefined;

  const distribution = openDistribution({
    members: everyone,
    wantWhole: options.wantWhole,
    failed: (member, error) => {
      log.error({ err: error }, `worker ${member.number} cannot load the policies that other workers have loaded: it is replaced`);
      member.kill();
    },
  });
  const start = (number: number): Member => {
    const member = options.start(number);
    members.set(number, member);
    return member;
  };
  const begun = async (member: Member): Promise<void> => {
    await member.ask("begin", options.beginning(member.number));
  };
  const replacement = openReplacement({
    start,
    bring: async (member) => {
      await begun(member);
      await distribution.join(member);
      await member.ask("listen", undefined);
      await member.ask("serve", undefined);
    },
    forget: (number) => void members.delete(number),
    lost: options.lost,
    log,
  });

  const all = <T>(work: (member: Member) => Promise<T>): Promise<readonly T[]> => Promise.all(everyone().map(work));
  return {
    members: everyone,
    taker: distribution,
    begin: async () => {
      for (let number = 1; number <= count; number++) start(number);
      await all(begun);
    },
    serve: async () => {
      const [first] = await all((member) => member.ask("listen", undefined));
      await all((member) => member.ask("serve", undefined));
      replacement.lookAfter(members.values());
      stopAsking = watchPulses({
        members: everyone,
        stuck: (member, seconds) => {
          const about = { "process.pid": member.pid };
          log.error(about, `worker ${member.number} has not answered for ${seconds} s, as if stuck in a loop or stopped: it is killed`);
          member.kill();
        },
      });
      if (first === undefined) throw new Error("there are no workers");
      return first;
    },
    failed: replacement.failed,
    disband: () => {
      replacement.stop();
      stopAsking();
    },
  };
}
