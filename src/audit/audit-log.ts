/** The audit log: an observer of calls that writes access and decision entries, and answers queries for them. */
import { defaultRecordRules, type RecordRules } from "../../runtime/wire/decisions.ts";
import type { Config } from "../config/settings.ts";
import type { CallObserver } from "../observe/events.ts";
import type { Log } from "../observe/log.ts";
import { openEntryWriter, maxOverheadBytes, type RecordedKind, type WrittenEntry } from "./entry.ts";
import { metadataReader } from "./metadata.ts";
import { policySourceOf } from "./policy-source.ts";
import type { SinkConfig, SinkOptions } from "./sink-options.ts";
import type { AuditQuery, Sink } from "./sink.ts";
import { openSink as openConfigured } from "./sinks.ts";

export type { AuditQuery } from "./sink.ts";

/** The audit log of a server. */
export interface AuditLog extends CallObserver {
  /** Which decisions the engine must record; undefined when none. */
  readonly records: RecordRules | undefined;
  /** Whether anything is recorded. */
  readonly enabled: boolean;
  /** Queries the entries, each as JSON; undefined where the backend answers no queries. */
  readonly query: ((query: AuditQuery) => AsyncIterable<string>) | undefined;
  /** Writes the entries that wait, and closes. */
  readonly close: () => Promise<void>;
}

/** The settings of the audit log. */
export type AuditConfig = Pick<
  Config,
  Extract<keyof Config, `audit.${string}` | `storage.${string}`> | "server.tls.cert" | "server.tls.key"
>;

/** The log and the callbacks of the audit log. */
export interface AuditOptions {
  readonly log: Log;
  /** A write failed, or an entry is lost. */
  readonly failed: (kind: RecordedKind) => void;
  readonly oversized: (kind: RecordedKind) => void;
  /** The trace that a call belongs to. */
  readonly traceId?: (callId: string) => string | undefined;
  /** Opens the sink of the entries; by default the configured one. */
  readonly openSink?: (config: SinkConfig, options: SinkOptions) => Promise<Sink>;
}

/** Returns whether anything is to be recorded. */
export const isRecording = (config: AuditConfig): boolean =>
  config["audit.enabled"] && (config["audit.accessLogsEnabled"] || config["audit.decisionLogsEnabled"]);

/** How long a stopping server waits for its last entries to be written. */
export const closeMilliseconds = 5000;

/** Opens the audit log; throws a refusal when its file or database cannot be opened (D16). */
export async function openAuditLog(config: AuditConfig, options: AuditOptions): Promise<AuditLog> {
  const { log, failed, oversized, traceId = () => undefined, openSink = openConfigured } = options;
  const accesses = config["audit.accessLogsEnabled"];
  const decides = config["audit.decisionLogsEnabled"];
  if (!isRecording(config)) {
    return { records: undefined, enabled: false, query: undefined, end: () => undefined, close: async () => undefined };
  }
  const policySource = policySourceOf(config);
  const maxBytes = config["audit.maxEntrySize"];
  const writer = openEntryWriter({
    policySource,
    authInfo: config["server.tls.cert"] !== "" && config["server.tls.key"] !== "" ? "tls" : "",
    metadata: metadataReader(config["audit.includeMetadataKeys"], config["audit.excludeMetadataKeys"]),
    maxBytes,
  });
  const sink = await openSink(config, { log, failed });
  const write = (kind: RecordedKind, callId: string, trace: string | undefined, entry: WrittenEntry): void => {
    if (entry.oversized) oversized(kind);
    const { head, rest } = entry;
    sink.write(trace === undefined ? { kind, callId, head, rest } : { kind, callId, head, rest, traceId: trace });
  };

  return {
    enabled: true,
    records: decides
      ? {
          ...defaultRecordRules,
          denialsOnly: config["audit.decisionLogFilters.checkResources.ignoreAllowAll"],
          maxBytes: Math.max(maxBytes >> 1, maxBytes - maxOverheadBytes(policySource)),
        }
      : undefined,
    end: (begun, end) => {
      const trace = traceId(begun.callId);
      if (accesses) write("access", begun.callId, trace, writer.access(begun, end));
      const decision = decides ? writer.decision(begun, end, Date.now()) : undefined;
      if (decision !== undefined) write("decision", begun.callId, trace, decision);
    },
    query: sink.query,
    close: () => sink.close(closeMilliseconds),
  };
}
