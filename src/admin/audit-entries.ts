/** ListAuditLogEntries: parses the query, and streams the entries. */
import { EvalError } from "../../runtime/cel/error.ts";
import { parseTimestamp } from "../../runtime/cel/timestamp-text.ts";
import { isJsonObject, type Json } from "../../runtime/wire/json.ts";
import type { AuditLog, AuditQuery } from "../audit/audit-log.ts";
import { parseDuration } from "../config/duration.ts";
import { codes, failure, type Reply } from "../server/calls/reply.ts";

/** Answers the call, given as proto3 JSON: ListAuditLogEntriesResponses in JSON, or an error reply. */
export type ListAuditEntries = (body: string) => Reply | AsyncIterable<string>;

/** Opens the call on an audit log; credentials have been checked before. */
export function openAuditEntries({ enabled, query }: Pick<AuditLog, "enabled" | "query">): ListAuditEntries {
  return (body) => {
    const asked = readQuery(body, Date.now());
    if ("refused" in asked) return asked.refused;
    if (!enabled) return failure("UNIMPLEMENTED", "audit logs are not enabled (setting audit.enabled)");
    if (query === undefined)
      return failure("UNIMPLEMENTED", "this audit backend cannot be queried: only the local one can (setting audit.backend)");
    return wrapped(asked.query, query);
  };
}

const names = { access: "accessLogEntry", decision: "decisionLogEntry" } as const;

async function* wrapped(asked: AuditQuery, query: NonNullable<AuditLog["query"]>): AsyncGenerator<string> {
  for await (const text of query(asked)) yield `{"${names[asked.kind]}":${text}}`;
}

/** A violated rule of a field, in the form of buf.validate (D6). */
interface Violation {
  readonly field: {
    readonly elements: readonly { readonly fieldNumber?: number; readonly fieldName: string; readonly fieldType?: string }[];
  };
  readonly fieldPath: string;
  readonly ruleId: string;
  readonly message: string;
}

const fields = {
  kind: { fieldNumber: 1, fieldName: "kind", fieldType: "TYPE_ENUM" },
  filter: { fieldName: "filter" },
  tail: { fieldNumber: 2, fieldName: "tail", fieldType: "TYPE_UINT32" },
  between: { fieldNumber: 3, fieldName: "between", fieldType: "TYPE_MESSAGE" },
  lookup: { fieldNumber: 5, fieldName: "lookup", fieldType: "TYPE_STRING" },
  start: { fieldNumber: 1, fieldName: "start", fieldType: "TYPE_MESSAGE" },
  end: { fieldNumber: 2, fieldName: "end", fieldType: "TYPE_MESSAGE" },
} as const;

const kinds: ReadonlyMap<Json, AuditQuery["kind"]> = new Map<Json, AuditQuery["kind"]>([
  ["KIND_ACCESS", "access"],
  [1, "access"],
  ["KIND_DECISION", "decision"],
  [2, "decision"],
]);
const maxTail = 1000;
const ulidForm = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const timestampForm = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** The problems found: the first value that cannot be read, and every violated rule. */
interface Notes {
  misread: string | undefined;
  readonly violations: Violation[];
}

function readQuery(body: string, now: number): { readonly query: AuditQuery } | { readonly refused: Reply } {
  const notes: Notes = { misread: undefined, violations: [] };
  const request = readObject(body);
  if (request === undefined) return { refused: unreadable("the request must be a JSON object") };
  const given = Object.entries(request).filter(([, value]) => value !== null);
  const unknown = given.find(([name]) => !["kind", "tail", "between", "since", "lookup"].includes(name));
  if (unknown !== undefined) notes.misread = `unknown field \`${unknown[0]}\` (it may have kind, tail, between, since, lookup)`;

  const kind = readKind(request["kind"] ?? null, notes);
  const [named, another] = given.filter(([name]) => name !== "kind");
  if (another !== undefined) notes.misread ??= `\`${named?.[0]}\` and \`${another[0]}\` exclude each other: choose one`;
  const filter = named === undefined ? undefined : readFilter(named[0], named[1], now, notes);
  if (named === undefined) violate(notes, [fields.filter], "required", "exactly one of tail, between, since and lookup is required");

  if (notes.misread !== undefined) return { refused: unreadable(notes.misread) };
  if (kind === undefined || filter === undefined || notes.violations.length > 0) return { refused: refuse(notes.violations) };
  return { query: { kind, filter } };
}

const unreadable = (message: string): Reply => ({ ...failure("INVALID_ARGUMENT", message), unreadable: true });

function readObject(body: string): { readonly [name: string]: Json } | undefined {
  try {
    const json: Json = JSON.parse(body.trim() === "" ? "{}" : body);
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function readKind(value: Json, notes: Notes): AuditQuery["kind"] | undefined {
  const kind = kinds.get(value);
  if (kind !== undefined) return kind;
  if (value === null || value === 0 || value === "KIND_UNSPECIFIED")
    violate(notes, [fields.kind], "required", "a kind is required: KIND_ACCESS or KIND_DECISION");
  else if (typeof value === "number" && Number.isInteger(value))
    violate(notes, [fields.kind], "enum.in", `${value} is not a kind: use KIND_ACCESS (1) or KIND_DECISION (2)`);
  else notes.misread ??= "`kind` must be KIND_ACCESS or KIND_DECISION";
  return undefined;
}

function readFilter(name: string, value: Json, now: number, notes: Notes): AuditQuery["filter"] | undefined {
  switch (name) {
    case "tail": {
      const count = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
      if (typeof count !== "number" || !Number.isInteger(count) || count < 0 || count >= 2 ** 32)
        notes.misread ??= "`tail` must be a whole number";
      else if (count < 1 || count > maxTail)
        violate(notes, [fields.tail], "uint32.gte_lte", `at least 1 and at most ${maxTail} entries can be asked for, not ${count}`);
      else return { kind: "tail", count };
      return undefined;
    }
    case "between": {
      if (!isJsonObject(value)) {
        notes.misread ??= "`between` must be an object with start and end";
        return undefined;
      }
      const unknown = Object.keys(value).find((each) => each !== "start" && each !== "end");
      if (unknown !== undefined) notes.misread ??= `unknown field \`${unknown}\` in \`between\` (it may have start, end)`;
      const start = readPast("start", value["start"] ?? null, now, notes);
      const end = readPast("end", value["end"] ?? null, now, notes);
      return start === undefined || end === undefined ? undefined : { kind: "between", start, end };
    }
    case "since": {
      const milliseconds = typeof value === "string" ? parseDuration(value) : undefined;
      if (milliseconds === undefined) notes.misread ??= "`since` must be a duration such as 3600s";
      return milliseconds === undefined ? undefined : { kind: "since", milliseconds };
    }
    case "lookup":
      if (typeof value !== "string") notes.misread ??= "`lookup` must be a string";
      else if (!ulidForm.test(value))
        violate(
          notes,
          [fields.lookup],
          "string.pattern",
          "a call id has 26 characters, each a digit or a capital letter other than I, L, O and U",
        );
      else return { kind: "lookup", callId: value };
      return undefined;
    default:
      return undefined;
  }
}

function readPast(name: "start" | "end", value: Json, now: number, notes: Notes): number | undefined {
  const place = [fields.between, fields[name]];
  if (value === null) {
    violate(notes, place, "required", "both ends of a range are required");
    return undefined;
  }
  const instant = typeof value === "string" && timestampForm.test(value) ? millisecondsOf(value) : Number.NaN;
  if (Number.isNaN(instant)) notes.misread ??= `\`between.${name}\` must be a timestamp such as 2026-11-20T08:00:00Z`;
  else if (instant >= now) violate(notes, place, "timestamp.lt_now", "a range must lie in the past");
  return instant;
}

/** `Date.parse` is not used, because it accepts February 30. */
function millisecondsOf(text: string): number {
  const read = parseTimestamp(text.toUpperCase());
  return read instanceof EvalError ? Number.NaN : read.seconds * 1000 + Math.floor(read.nanos / 1e6);
}

function violate(notes: Notes, place: Violation["field"]["elements"], ruleId: string, message: string): void {
  notes.violations.push({ field: { elements: place }, fieldPath: place.map(({ fieldName }) => fieldName).join("."), ruleId, message });
}

function refuse(violations: readonly Violation[]): Reply {
  const message = `invalid request: ${violations.map((each) => `${each.fieldPath}: ${each.message}`).join("; ")}`;
  const details = [{ "@type": "type.googleapis.com/buf.validate.Violations", violations }];
  return { code: codes.INVALID_ARGUMENT.code, text: JSON.stringify({ code: codes.INVALID_ARGUMENT.code, message, details }) };
}
