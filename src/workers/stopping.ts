/** Stops the workers of a server: all stop accepting connections, then each finishes its requests, and one that does not is killed. */
import { closeMilliseconds } from "../audit/audit-log.ts";
import type { Log } from "../observe/log.ts";
import type { Member } from "./member.ts";
import type { Together } from "./together.ts";

/** The timeout, and the callbacks. */
export interface StoppingOptions {
  /** How many milliseconds pending requests may take: `server.shutdownTimeout`. */
  readonly within: number;
  /** Called for each worker that has ended, with its final readings. */
  readonly ended: Together["ended"];
  readonly log: Log;
}

/** Stops all workers; resolves when they are gone. */
export async function stopAll(members: readonly Member[], options: StoppingOptions): Promise<void> {
  await stopListening(members, options);
  await Promise.all(members.map((member) => stopMember(member, options)));
}

/**
 * Stops listening in one worker after the other; the last one stops when no connection is waiting any more. Only after that are clients
 * told to close their connections: a client that reconnects must not reach a worker that is about to stop.
 */
async function stopListening(members: readonly Member[], { within, log }: StoppingOptions): Promise<void> {
  const [last, ...others] = members;
  const stop = async (member: Member, othersGoOn: boolean): Promise<void> => {
    const asked = member.ask("stop listening", othersGoOn).catch(() => undefined); // a worker that is gone does not listen
    await notLater(member, within + closeMilliseconds, asked, log);
  };
  await Promise.all(others.map((member) => stop(member, true)));
  if (last !== undefined) await stop(last, false);
}

/** Lets a worker finish within a limit: besides the timeout of requests, it gets time for its last audit entries and traces. */
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
