/** Whether all that clients held of a server is let go once they have gone. */
import type { FramesServer, Held } from "./server.ts";

/** How long the limits of the server may take to cut off who is silent, and what is answered to nobody to be thrown away. */
const longest = 40_000;
/** What a heap grows by because code gets hot and strings are made: not with the number of clients. */
const maxGrowth = 2 ** 25;
/** Streams of the process's own come and go: those of fetches, of the log. */
const fewDuplexes = 6;
const fewEmitters = 40;

/** Says what is left, when it does not go. */
export async function judgeHeld(before: ReadonlyMap<number, Held>, server: FramesServer): Promise<string | undefined> {
  let said: string | undefined;
  for (const end = performance.now() + longest; performance.now() < end;) {
    const now = await server.held();
    said = [...now].map(([pid, held]) => leftIn(pid, before.get(pid), held)).find((left) => left !== undefined);
    if (now.size !== before.size) said = `there were ${before.size} processes, now there are ${now.size}`;
    if (said === undefined) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return said;
}

function leftIn(pid: number, before: Held | undefined, now: Held): string | undefined {
  const compared = `before: ${JSON.stringify(before)}\nafter:  ${JSON.stringify(now)}`;
  if (before === undefined) return `process ${pid} was not there before`;
  if (now.sockets > before.sockets) return `sockets are left over in ${pid}\n${compared}`;
  if (now.descriptors > before.descriptors + 1) return `descriptors are left over in ${pid}\n${compared}`;
  if (now.duplexes > before.duplexes + fewDuplexes) return `streams are left over in ${pid}\n${compared}`;
  if (now.emitters > before.emitters + fewEmitters) return `emitters of events are left over in ${pid}\n${compared}`;
  if (now.heapBytes > before.heapBytes + maxGrowth) return `the heap of ${pid} has grown\n${compared}`;
  return undefined;
}
