/** Stops the workers of a server: all stop accepting connections, then each finishes its requests, and one that does not is killed. */
import { closeMilliseconds } from "../audit/audit-log.ts";
import type { Log } from "../observe/log.ts";
import type { Member } from "./member.ts";
import type { Together } from "./together.ts";

/** How long workers may take, and who is told. */
export interface StoppingOptions {
  /** Milliseconds that begun requests may take: `server.shutdownTimeout`. */
  readonly within: number;
  /** Told of each that has ended, with what it counted. */
  readonly ended: Together["ended"];
  readonly log: Log;
}

/** Stops them all; resolves when they are gone. */
export async function stopAll(members: readonly Member[], options: StoppingOptions): Promise<void> {
  await stopListening(members, options);
  await Promise.all(members.map((member) => stopMember(member, options)));
}

/**
 * One after the other, and the last when nobody waits any more to be taken in; only then is anybody sent away: who comes
 * again must find nobody here rather than one who is about to go.
 */
async function stopListening(members: readonly Member[], { within, log }: StoppingOptions): Promise<void> {
  const [last, ...others] = members;
  const stop = async (member: Member, othersGoOn: boolean): Promise<void> => {
    const asked = member.ask("stop listening", othersGoOn).catch(() => undefined); // who is gone listens no more
    await notLater(member, within + closeMilliseconds, asked, log);
  };
  await Promise.all(others.map((member) => stop(member, true)));
  if (last !== undefined) await stop(last, false);
}

/** Lets a worker finish, but not for ever: beyond the time of requests there is that of its last entries, and of its traces. */
async function stopMember(member: Member, { within, ended, log }: StoppingOptions): Promise<void> {
  const finished = member.ask("stop", undefined).then(
    (last) => ended(member, last),
    () => ended(member),
  );
  const left = finished.then(member.release).then(() => member.gone);
  await notLater(member, within + 2 * closeMilliseconds, left, log);
}

async function notLater(member: Member, milliseconds: number, work: Promise<unknown>, log: Log): Promise<void> {
  const late = setTimeout(() => {
    log.error({ "process.pid": member.pid }, `worker ${member.number} did not stop within ${milliseconds / 1000} s: it is killed`);
    member.kill();
  }, milliseconds);
  await work;
  clearTimeout(late);
}
