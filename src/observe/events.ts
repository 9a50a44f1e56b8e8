/** The events of the program, for the observers that log, count, trace and record them. */
import type { Call, UnaryMethod } from "../server/calls/call.ts";
import type { Reply } from "../server/calls/reply.ts";

/** A call that has begun. The same object is told of again at the end. */
export interface BegunCall {
  readonly method: UnaryMethod;
  /** A ULID; it names the call in the reply, the log, the traces and the audit entries. */
  readonly callId: string;
  readonly call: Call;
  /** The request as proto3 JSON text, read when somebody looks; "" where it cannot be read. */
  readonly body: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
}

/** How a call ended. */
export interface CallEnd {
  readonly reply: Reply;
  /** How long it took, with fractions. */
  readonly milliseconds: number;
}

/** An observer of calls. Neither method may throw. */
export interface CallObserver {
  readonly begin?: (begun: BegunCall) => void;
  readonly end: (begun: BegunCall, end: CallEnd) => void;
}

/** One HTTP request and its response, on any path. */
export interface HttpExchange {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
}

/** What happens around the store of policies. */
export type StoreEvent =
  /** It was asked whether anything is new. */
  | { readonly kind: "polled" }
  /** A store that is elsewhere is asked; nothing is known of it until that has ended. */
  | { readonly kind: "asked" }
  /** That has ended, whatever has come of it. */
  | { readonly kind: "answered" }
  /** It could not be read, or what it holds does not compile: the set in force stays. */
  | { readonly kind: "failed"; readonly compileMilliseconds?: number }
  /** What it holds did not compile, and was mended before that had to be told: it was being written. */
  | { readonly kind: "passed"; readonly compileMilliseconds?: number }
  /** A store of bundles was read: what it holds is the same, is new, or could not be had or used. */
  | { readonly kind: "bundle read"; readonly result: "unchanged" | "updated" | "failed"; readonly milliseconds: number }
  /** A bundle was tried, before it may come into force. */
  | { readonly kind: "bundle tried"; readonly result: "passed" | "refused"; readonly milliseconds: number }
  /** A set came into force. */
  | {
      readonly kind: "loaded";
      /** Milliseconds since 1970. */
      readonly at: number;
      /** Absent where nothing was compiled here. */
      readonly compileMilliseconds?: number;
      /** Policy files in the set, and how they differ from the set before. */
      readonly policies: number;
      readonly created: number;
      readonly updated: number;
      readonly deleted: number;
    };

/** A cache as it stands: hits, misses and fill. */
export interface CacheState {
  readonly kind: "jwt" | "schema";
  readonly hits: number;
  readonly misses: number;
  readonly live: number;
  /** Infinity where nothing but the policies bounds it. */
  readonly max: number;
}

/** The parts of a call that traces show. */
export type SpanName = "auxData" | "schemas" | "decide";

/** Begins a span below the call's and returns how to end it. */
export type BeginSpan = (name: SpanName, callId: string) => (error?: unknown) => void;
