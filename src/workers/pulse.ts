/** Finds workers whose event loop is stuck: each is asked again and again, and one that leaves too many questions in a row unanswered is reported. */
import inspector from "node:inspector";
import type { Member } from "./member.ts";

/** Who is asked, how often, and who is told. */
export interface PulseOptions<Asked> {
  readonly members: () => readonly Asked[];
  /** Told of one that has been silent for at least so many seconds. */
  readonly stuck: (member: Asked, seconds: number) => void;
  /** Milliseconds from one round of questions to the next. */
  readonly milliseconds?: number;
  /** Rounds in a row that one may be silent for: together far longer than the longest check (D46.1). */
  readonly mostMissed?: number;
}

/**
 * Begins to ask; returns how to stop that.
 * Rounds count, not the clock: where the machine slept, or the primary stood still, everybody has missed one. And one
 * alone is given up in a round: where all are silent, those that come back meanwhile are kept.
 */
export function watchPulses<Asked extends Pick<Member, "ask">>(options: PulseOptions<Asked>): () => void {
  const { members, stuck, milliseconds = 5000, mostMissed = 6 } = options;
  /** Those with a question open, and the rounds that it has been open for. */
  const missed = new WeakMap<Asked, number>();
  const ask = (member: Asked): void => {
    missed.set(member, 0);
    member.ask("pulse", undefined).then(
      () => missed.delete(member),
      () => undefined, // it is gone
    );
  };
  const round = (): void => {
    timer.refresh();
    if (inspector.url() !== undefined) return; // whoever stands at a breakpoint is not stuck
    let [given, longest] = [undefined as Asked | undefined, mostMissed - 1];
    for (const member of members()) {
      const rounds = missed.get(member);
      if (rounds === undefined) ask(member);
      else missed.set(member, rounds + 1);
      if (rounds !== undefined && rounds + 1 > longest) [given, longest] = [member, rounds + 1];
    }
    if (given === undefined) return;
    missed.set(given, 0);
    stuck(given, (longest * milliseconds) / 1000);
  };
  const timer = setTimeout(round, milliseconds).unref();
  return () => clearTimeout(timer);
}
