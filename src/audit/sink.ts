/** The contract of an audit sink: it accepts entries without waiting, and writes them when it can. */
import type { EntryText, RecordedKind } from "./entry.ts";

/** One entry, on its way to a sink: an AccessLogEntry or DecisionLogEntry as proto3 JSON. */
export interface Entry extends EntryText {
  readonly kind: RecordedKind;
  readonly callId: string;
  /** The trace that the call belongs to. */
  readonly traceId?: string;
}

/** Entries as another process wrote them: lines of UTF-8, each with its line feed, and of what kind each of them is. */
export interface EntryLines {
  readonly bytes: Buffer;
  readonly kinds: readonly RecordedKind[];
}

/** One of them, on its way to a sink that keeps lines. */
export interface EntryLine {
  readonly kind: RecordedKind;
  /** Where the line is: from one byte to before another. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Where entries end up. */
export interface Sink {
  /** Takes an entry; never throws, never waits. */
  readonly write: (entry: Entry) => void;
  /** Takes what another process wrote, where the sink keeps lines; never waits. */
  readonly writeLines?: (lines: EntryLines) => void;
  /** Queries the entries, each as JSON, where the sink supports that. */
  readonly query?: (query: AuditQuery) => AsyncIterable<string>;
  /** Writes what waits, for so many milliseconds at most, and closes. */
  readonly close: (milliseconds: number) => Promise<void>;
}

/** Which entries are asked for. Instants are milliseconds since 1970; both ends of a range belong to it. */
export interface AuditQuery {
  readonly kind: RecordedKind;
  readonly filter:
    /** The last so many, the newest first. */
    | { readonly kind: "tail"; readonly count: number }
    /** The oldest first. */
    | { readonly kind: "between"; readonly start: number; readonly end: number }
    /** Those of the last so many milliseconds, the oldest first. */
    | { readonly kind: "since"; readonly milliseconds: number }
    | { readonly kind: "lookup"; readonly callId: string };
}
