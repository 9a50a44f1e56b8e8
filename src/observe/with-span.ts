/** Runs work within a span, which ends when the result is available. */
import type { BeginSpan, SpanName } from "./events.ts";

/** The call that the span belongs to, and the span's name. */
export interface SpanOptions {
  readonly beginSpan: BeginSpan | undefined;
  readonly name: SpanName;
  readonly callId: string;
}

/** Runs the work within a span, if calls are traced; `troubleOf` returns the error in its outcome. */
export function withSpan<T>(
  { beginSpan, name, callId }: SpanOptions,
  work: () => T | Promise<T>,
  troubleOf: (outcome: T) => string | undefined = () => undefined,
): T | Promise<T> {
  const end = beginSpan?.(name, callId);
  if (end === undefined) return work();
  const ended = (outcome: T): T => {
    end(troubleOf(outcome));
    return outcome;
  };
  const failed = (error: unknown): never => {
    end(error);
    throw error;
  };
  try {
    const outcome = work();
    return outcome instanceof Promise ? outcome.then(ended, failed) : ended(outcome);
  } catch (error) {
    return failed(error);
  }
}
