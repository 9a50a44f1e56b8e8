/** The options that select audit entries, and the query for them. */
import { toJson, type JsonObject, type JsonValue, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { InvalidArgumentError, Option, type Command } from "commander";
import { AccessLogEntrySchema, DecisionLogEntrySchema } from "../../../proto/gen/authz/audit/v1/audit_pb.js";
import {
  ListAuditLogEntriesRequest_Kind as Kind,
  type ListAuditLogEntriesRequestSchema,
} from "../../../proto/gen/authz/request/v1/request_pb.js";
import { AuthzAdminService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { EvalError } from "../../../runtime/cel/error.ts";
import { parseTimestamp } from "../../../runtime/cel/timestamp-text.ts";
import { parseDuration } from "../../config/duration.ts";
import { usageError } from "../command.ts";
import type { AdminClient } from "./client.ts";

/** The kinds of entries. */
export type EntryKind = "access" | "decision";

/** The values of the options. */
export interface QueryFlags {
  readonly tail?: number;
  /** Milliseconds. */
  readonly since?: number;
  readonly between?: Range;
  readonly lookup?: string;
}

/** Milliseconds since 1970; without an end, until now. */
interface Range {
  readonly start: number;
  readonly end?: number;
}

/** An entry: its time, its call id, and its message as JSON. */
export interface Entry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly callId: string;
  readonly json: JsonObject;
}

const defaultTail = 30;

/** Adds the options. */
export const addQueryOptions = (command: Command): Command =>
  command
    .addOption(new Option("--tail <n>", `the last n entries, newest first (default ${defaultTail})`).argParser(tailOption))
    .addOption(new Option("--since <duration>", "entries of the last 3h, 30m or 10s, oldest first").argParser(sinceOption))
    .addOption(
      new Option(
        "--between <start,end>",
        "entries between two timestamps such as 2026-11-20T08:00:00Z; without the second, until now",
      ).argParser(rangeOption),
    )
    .option("--lookup <call-id>", "the entry of this call");

function tailOption(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) > 1000) throw new InvalidArgumentError("It must be a whole number from 1 to 1000.");
  return Number(text);
}

function sinceOption(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) throw new InvalidArgumentError("It must be a duration such as 3h.");
  return milliseconds;
}

function rangeOption(text: string): Range {
  const [start = Number.NaN, end, ...others] = text.split(",").map((part) => instantOf(part.trim()));
  if (others.length > 0 || Number.isNaN(start) || Number.isNaN(end ?? 0))
    throw new InvalidArgumentError("It must be one timestamp such as 2026-11-20T08:00:00Z, or two with a comma between.");
  // The server would find nothing, and not say why.
  if (end !== undefined && end < start) throw new InvalidArgumentError("The range ends before it begins.");
  return end === undefined ? { start } : { start, end };
}

/** `Date.parse` is not used, because it accepts February 30. */
function instantOf(text: string): number {
  const read = timestampForm.test(text) ? parseTimestamp((text.length === day ? `${text}T00:00:00Z` : text).toUpperCase()) : undefined;
  return read === undefined || read instanceof EvalError ? Number.NaN : read.seconds * 1000 + Math.floor(read.nanos / 1e6);
}

/** The length of a date without a time. */
const day = "2026-11-20".length;

const isJsonObject = (value: JsonValue): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

const timestampForm = /^\d{4}-\d\d-\d\d(?:[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d))?$/;

/** Refuses options that exclude each other. */
export function refuseCombination(flags: QueryFlags, command: Command): void {
  const given = (["tail", "since", "between", "lookup"] as const).filter((name) => flags[name] !== undefined && flags[name] !== 0);
  if (given.length > 1) usageError(command, `${given.map((name) => `--${name}`).join(" and ")} exclude each other: choose one`);
}

type Request = MessageInitShape<typeof ListAuditLogEntriesRequestSchema>;

/** How many milliseconds the clocks of client and server may differ. */
const clockSkew = 5 * 60_000;

/** Lists entries in the server's order. */
export async function* listEntries(client: AdminClient, kind: EntryKind, flags: QueryFlags, now: () => number): AsyncGenerator<Entry> {
  const { start, end } = flags.between ?? {};
  const request: Request = { kind: kind === "access" ? Kind.ACCESS : Kind.DECISION, filter: filterOf(flags, now()) };
  for await (const { entry } of client.stream(AuthzAdminService.method.listAuditLogEntries, request)) {
    if (entry.case === undefined) continue;
    const at = entry.value.timestamp === undefined ? 0 : timestampMs(entry.value.timestamp);
    if (start !== undefined && end === undefined && at < start) continue;
    const message =
      entry.case === "accessLogEntry" ? toJson(AccessLogEntrySchema, entry.value) : toJson(DecisionLogEntrySchema, entry.value);
    yield { at, callId: entry.value.callId, json: isJsonObject(message) ? message : {} };
  }
}

function filterOf({ tail, since, between, lookup }: QueryFlags, now: number): NonNullable<Request["filter"]> {
  if (lookup !== undefined) return { case: "lookup", value: lookup };
  if (since !== undefined) return { case: "since", value: span(since) };
  if (between === undefined) return { case: "tail", value: tail === undefined || tail === 0 ? defaultTail : tail };
  const { start, end } = between;
  // Sending the client's current time as the end could be in the server's future, which it would refuse.
  return end === undefined
    ? { case: "since", value: span(Math.max(0, now - start) + clockSkew) }
    : { case: "between", value: { start: timestampFromMs(start), end: timestampFromMs(end) } };
}

const span = (milliseconds: number) => ({
  seconds: BigInt(Math.floor(milliseconds / 1000)),
  nanos: Math.round((milliseconds % 1000) * 1e6),
});
