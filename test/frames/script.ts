/** What a client does on one connection, step by step, and how what it heard is judged. */
import type { Random } from "../agree/random.ts";

/** One step. `end` closes the client's side alone; `reset` is the end of both; `deaf`: nothing is read for a while. */
export type Step =
  | { readonly kind: "send"; readonly bytes: Buffer }
  | { readonly kind: "pause"; readonly milliseconds: number }
  | { readonly kind: "deaf"; readonly milliseconds: number }
  | { readonly kind: "end" }
  | { readonly kind: "reset" };

/** What came back. */
export interface Heard {
  readonly bytes: Buffer;
  /** Who ended it: the server; the client, by a step of its own or because it had all that it waited for; nobody, within the time there is. */
  readonly ended: "server" | "client" | "nobody";
}

/** The conversation. */
export interface Script {
  /** The shapes of which it is made, for whoever reads of a violation. */
  readonly name: string;
  readonly protocol: "http/1.1" | "h2";
  readonly face: "http" | "grpc";
  readonly steps: readonly Step[];
  /** Need nothing more be waited for? */
  readonly isDone: (received: Buffer) => boolean;
  /** Says what is wrong, if anything is. */
  readonly judge: (heard: Heard) => string | undefined;
}

/** Sends bytes in packets that end wherever it happens, with pauses between some of them. */
export function cut(random: Random, bytes: Buffer): readonly Step[] {
  const all = random.weigh<number>([
    [5, () => bytes.length],
    [3, () => 1 + random.whole(bytes.length)],
    [3, () => 1 + random.whole(200)],
    [1, () => 1],
  ]);
  const steps: Step[] = [];
  // Single bytes for a while, and then the rest: a whole request byte by byte takes too long.
  for (let at = 0, packets = 0; at < bytes.length; packets++) {
    const length = packets > 150 ? bytes.length : all === bytes.length ? all : 1 + random.whole(all);
    steps.push({ kind: "send", bytes: bytes.subarray(at, at + length) });
    at += length;
    if (random.chance(0.1)) steps.push({ kind: "pause", milliseconds: random.whole(12) });
  }
  return steps;
}

/** Ends early: after any of the bytes, in any of the ways there are. */
export function cutOff(random: Random, steps: readonly Step[]): readonly Step[] {
  const kept = steps.slice(0, random.whole(steps.length + 1));
  const last = kept.at(-1);
  const short =
    last?.kind === "send" ? [...kept.slice(0, -1), { ...last, bytes: last.bytes.subarray(0, random.whole(last.bytes.length + 1)) }] : kept;
  return [
    ...short,
    ...(random.chance(0.5) ? [{ kind: "pause", milliseconds: random.whole(30) } as const] : []),
    ...(random.chance(0.3) ? [{ kind: "end" } as const, { kind: "pause", milliseconds: random.whole(50) } as const] : []),
    { kind: "reset" },
  ];
}
