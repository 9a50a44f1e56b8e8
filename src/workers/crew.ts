/** The workers of a server: started together, replaced one by one, stopped together. */
import type { Log } from "../observe/log.ts";
import { messageOf, refusal } from "../refusal.ts";
import type { Addresses } from "../server/start/addresses.ts";
import { openDistribution } from "./distribution.ts";
import type { SetTaker } from "../take-in.ts";
import type { Member } from "./member.ts";
import type { Beginning } from "./messages.ts";
import { watchPulses } from "./pulse.ts";

/** The workers. */
export interface Crew {
  /** Those that there are. */
  readonly members: () => readonly Member[];
  /** Who gives them sets. */
  readonly taker: SetTaker;
  /** Starts them all; rejects with what the first one says that cannot begin. */
  readonly begin: () => Promise<void>;
  /** Has them listen, and then serve, all together. From now on who ends is replaced. */
  readonly serve: () => Promise<Addresses>;
  /** Rejects, with a refusal, when none serves and none can be started. */
  readonly failed: Promise<never>;
  /** Nobody is replaced any more, nor asked whether it is stuck. */
  readonly disband: () => void;
}

/** What they are started with. */
export interface CrewOptions {
  readonly count: number;
  readonly start: (number: number) => Member;
  readonly beginning: (number: number) => Beginning;
  readonly wantWhole: () => void;
  /** A worker has ended by itself. */
  readonly lost: (member: Member) => void;
  readonly log: Log;
}

/** Who ends later than this after it began to serve is replaced at once. */
const longService = 60_000;
const firstPause = 100;
const longestPause = 10_000;
/** So many starts in a row may fail while nobody serves. */
const mostFailures = 5;

/** Opens it, with nobody started. */
export function openCrew(options: CrewOptions): Crew {
  const { count, log } = options;
  const members = new Map<number, Member>();
  const serving = new Set<Member>();
  /** Starts in a row that came to nothing, by anybody. */
  let failures = 0;
  let disbanded = false;
  let stopAsking: () => void = () => undefined;
  let giveUp: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => void (giveUp = reject));
  failed.catch(() => undefined); // whoever watches is told

  const distribution = openDistribution({
    members: () => [...members.values()],
    wantWhole: options.wantWhole,
    failed: (member, error) => {
      log.error({ err: error }, `worker ${member.number} cannot take in the policies that others have: it is replaced`);
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

  /** Replaces a worker whenever it ends; `pause` grows with every one that does not last. */
  const look = (member: Member, pause: number): void => {
    const since = performance.now();
    void member.gone.then((how) => {
      serving.delete(member);
      if (disbanded) return;
      options.lost(member);
      const wait = performance.now() - since > longService ? 0 : pause;
      log.error({ "process.pid": member.pid }, `worker ${member.number} ended (${how}): it is replaced ${inWords(wait)}`);
      replace(member.number, wait);
    });
  };
  const replace = (number: number, pause: number): void => {
    members.delete(number);
    const next = Math.min(longestPause, Math.max(firstPause, pause * 2));
    const again = async (): Promise<void> => {
      if (disbanded) return;
      const member = start(number);
      try {
        await begun(member);
        await distribution.join(member);
        await member.ask("listen", undefined);
        await member.ask("serve", undefined);
      } catch (error) {
        members.delete(number);
        member.kill();
        await member.gone;
        if (!disbanded) notStarted(number, error, next);
        return;
      }
      failures = 0;
      serving.add(member);
      look(member, next);
      log.info({ "process.pid": member.pid }, `worker ${number} serves again`);
    };
    setTimeout(() => void again(), pause);
  };
  const notStarted = (number: number, error: unknown, pause: number): void => {
    failures++;
    if (serving.size === 0 && failures >= mostFailures) {
      disbanded = true;
      return giveUp(refusal(`no worker serves, and none can be started: ${messageOf(error)}`));
    }
    log.error({ err: error }, `worker ${number} could not be started: it is tried again ${inWords(pause)}`);
    replace(number, pause);
  };

  const all = <T>(work: (member: Member) => Promise<T>): Promise<readonly T[]> => Promise.all([...members.values()].map(work));
  return {
    members: () => [...members.values()],
    taker: distribution,
    begin: async () => {
      for (let number = 1; number <= count; number++) start(number);
      await all(begun);
    },
    serve: async () => {
      const [first] = await all((member) => member.ask("listen", undefined));
      await all((member) => member.ask("serve", undefined));
      failures = 0;
      for (const member of members.values()) {
        serving.add(member);
        look(member, 0);
      }
      stopAsking = watchPulses({
        members: () => [...members.values()],
        stuck: (member, seconds) => {
          const about = { "process.pid": member.pid };
          log.error(about, `worker ${member.number} has not answered for ${seconds} s, as if stuck in a loop or stopped: it is killed`);
          member.kill();
        },
      });
      if (first === undefined) throw new Error("there are no workers");
      return first;
    },
    failed,
    disband: () => {
      disbanded = true;
      stopAsking();
    },
  };
}

const inWords = (pause: number): string => (pause === 0 ? "at once" : `in ${pause / 1000} s`);
