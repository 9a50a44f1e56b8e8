/** The interface of audit sinks: a sink accepts entries without waiting, and writes them as soon as possible. */
import type { EntryText, RecordedKind } from "./entry.ts";

/** An entry: an AccessLogEntry or DecisionLogEntry as proto3 JSON. */
export interface Entry extends EntryText {
  readonly kind: RecordedKind;
  readonly callId: string;
  /** The id of the trace that the call belongs to. */
  readonly traceId?: string;
}

/** Entries that another process has encoded: UTF-8 lines, each with its line feed, and the kind of each. */
export interface EntryLines {
  readonly bytes: Buffer;
  readonly kinds: readonly RecordedKind[];
}

/** One of these lines. */
export interface EntryLine {
  readonly kind: RecordedKind;
  /** The line's range: `start` inclusive, `end` exclusive. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** A sink. */
export interface Sink {
  /** Accepts an entry; never throws or blocks. */
  readonly write: (entry: Entry) => void;
  /** Accepts encoded lines, if the sink stores lines; never blocks. */
  readonly writeLines?: (lines: EntryLines) => void;
  /** Queries entries, each as JSON; absent where that is not supported. */
  readonly query?: (query: AuditQuery) => AsyncIterable<string>;
  /** Writes what waits, for at most `milliseconds`, and closes. */
  readonly close: (milliseconds: number) => Promise<void>;
}

/** A query. Instants are milliseconds since 1970, and both ends of a range are inclusive. */
export interface AuditQuery {
  readonly kind: RecordedKind;
  readonly filter:
    /** The last `count` entries, newest first. */
    | { readonly kind: "tail"; readonly count: number }
    /** Oldest first. */
    | { readonly kind: "between"; readonly start: number; readonly end: number }
    /** The entries of the last `milliseconds`, oldest first. */
    | { readonly kind: "since"; readonly milliseconds: number }
    | { readonly kind: "lookup"; readonly callId: string };
}
