/**
 * Replaces workers that end: at once after a long service, otherwise after a growing pause. Gives up when none serves and none can be
 * started.
 */
import type { Log } from "../observe/log.ts";
import { messageOf, refusal } from "../refusal.ts";
import type { Member } from "./member.ts";

/** How a worker is replaced, and the callbacks. */
export interface ReplacementOptions {
  /** Starts the process of a worker. */
  readonly start: (number: number) => Member;
  /** Brings a started worker to the point where it serves; rejects when that fails. */
  readonly bring: (member: Member) => Promise<void>;
  /** Called when a worker is no longer part of the crew. */
  readonly forget: (number: number) => void;
  /** Called when a worker has ended by itself. */
  readonly lost: (member: Member) => void;
  readonly log: Log;
}

/** The replacement of workers. */
export interface Replacement {
  /** Adds workers that serve: each is replaced when it ends. */
  readonly lookAfter: (members: Iterable<Member>) => void;
  /** Rejects with a refusal when no worker serves and none can be started. */
  readonly failed: Promise<never>;
  /** Ends replacing. */
  readonly stop: () => void;
}

/** A worker that served at least this number of milliseconds is replaced at once. */
const longService = 60_000;
/** The pause in milliseconds between the end of a worker and the start of its replacement. */
const firstPause = 100;
const longestPause = 10_000;
/** How many starts in a row may fail while no worker serves. */
const mostFailures = 5;

/** Opens the replacement, without workers. */
export function openReplacement({ start, bring, forget, lost, log }: ReplacementOptions): Replacement {
  const serving = new Set<Member>();
  /** The number of failed starts in a row, of any worker. */
  let failures = 0;
  let stopped = false;
  let giveUp: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => void (giveUp = reject));
  failed.catch(() => undefined); // whoever awaits it gets the error

  /** Replaces a worker whenever it ends; `pause` grows with each one that does not last. */
  const look = (member: Member, pause: number): void => {
    serving.add(member);
    const since = performance.now();
    void member.gone.then((how) => {
      serving.delete(member);
      if (stopped) return;
      lost(member);
      const wait = performance.now() - since > longService ? 0 : pause;
      log.error({ "process.pid": member.pid }, `worker ${member.number} ended (${how}): it is replaced ${inWords(wait)}`);
      replace(member.number, wait);
    });
  };
  const replace = (number: number, pause: number): void => {
    forget(number);
    const next = Math.min(longestPause, Math.max(firstPause, pause * 2));
    const again = async (): Promise<void> => {
      if (stopped) return;
      const member = start(number);
      try {
        await bring(member);
      } catch (error) {
        forget(number);
        member.kill();
        await member.gone;
        if (!stopped) notStarted(number, error, next);
        return;
      }
      failures = 0;
      look(member, next);
      log.info({ "process.pid": member.pid }, `worker ${number} serves again`);
    };
    setTimeout(() => void again(), pause);
  };
  const notStarted = (number: number, error: unknown, pause: number): void => {
    failures++;
    if (serving.size === 0 && failures >= mostFailures) {
      stopped = true;
      return giveUp(refusal(`no worker serves, and none can be started: ${messageOf(error)}`));
    }
    log.error({ err: error }, `worker ${number} could not be started: the next attempt is ${inWords(pause)}`);
    replace(number, pause);
  };

  return {
    lookAfter: (members) => {
      failures = 0;
      for (const member of members) look(member, 0);
    },
    failed,
    stop: () => void (stopped = true),
  };
}

const inWords = (pause: number): string => (pause === 0 ? "at once" : `in ${pause / 1000} s`);
