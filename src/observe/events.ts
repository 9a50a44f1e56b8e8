/** The events of the program, for the observers that log, count, trace and record them. */
import type { Call, UnaryMethod } from "../server/calls/call.ts";
import type { Reply } from "../server/calls/reply.ts";

/** A call that has begun; the same object is passed at the end. */
export interface BegunCall {
  readonly method: UnaryMethod;
  /** A ULID; it identifies the call in the reply, the log, traces and audit entries. */
  readonly callId: string;
  readonly call: Call;
  /** The request as proto3 JSON, computed when first read; "" when it cannot be read. */
  readonly body: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
}

/** How a call ended. */
export interface CallEnd {
  readonly reply: Reply;
  /** Its duration, with fractions. */
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
  /** Path and query, as received. */
  readonly target: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
}

/** Events of the store. */
export type StoreEvent =
  /** The store was checked for changes. */
  | { readonly kind: "polled" }
  /** A request to a remote store has begun. */
  | { readonly kind: "asked" }
  /** That request has ended, whatever the result. */
  | { readonly kind: "answered" }
  /** The store could not be read, or its contents do not compile: the set in force stays. */
  | { readonly kind: "failed"; readonly compileMilliseconds?: number }
  /** The contents did not compile, and compiled again within the grace period: they were being written. */
  | { readonly kind: "passed"; readonly compileMilliseconds?: number }
  /** A store of bundles was read: the bundle is the same, is new, or could not be read or used. */
  | { readonly kind: "bundle read"; readonly result: "unchanged" | "updated" | "failed"; readonly milliseconds: number }
  /** A bundle was loaded for trial, before it may come into force. */
  | { readonly kind: "bundle tried"; readonly result: "passed" | "refused"; readonly milliseconds: number }
  /** A set came into force. */
  | {
      readonly kind: "loaded";
      /** Milliseconds since 1970. */
      readonly at: number;
      /** Absent when nothing was compiled. */
      readonly compileMilliseconds?: number;
      /** The number of policy files, and the difference from the previous set. */
      readonly policies: number;
      readonly created: number;
      readonly updated: number;
      readonly deleted: number;
    };

/** The state of a cache. */
export interface CacheState {
  readonly kind: "jwt" | "schema";
  readonly hits: number;
  readonly misses: number;
  readonly live: number;
  /** Infinity when only the policies bound it. */
  readonly max: number;
}

/** The parts of a call that have spans. */
export type SpanName = "auxData" | "schemas" | "decide";

/** Begins a span below the call's, and returns a function that ends it. */
export type BeginSpan = (name: SpanName, callId: string) => (error?: unknown) => void;
