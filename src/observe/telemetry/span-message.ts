/** Spans as OTLP has them, in bytes: what all spans of a sort say is written once, and copied. */
import type { SpanContext } from "@opentelemetry/api";
import type { resources } from "@opentelemetry/sdk-node";
import { cut } from "../../../runtime/cut.ts";
import { MessageBytes } from "./message.ts";

/** What all spans of a sort say: fields of a span. */
export type Sort = Uint8Array;

/** An attribute's name, as the field of a KeyValue. */
export type AttributeName = Uint8Array;

/** An attribute; numbers are whole, and not below zero. */
export type Attribute = readonly [name: AttributeName, value: string | number];

/** A span that has ended. */
export interface EndedSpan {
  readonly sort: Sort;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: readonly Attribute[];
  /** Why it is an error; undefined when it is none. */
  readonly trouble: string | undefined;
}

/** Whose work it is, by the numbers of the protocol. */
export const kinds = { internal: 1, server: 2, client: 3 } as const;

/** Numbers of the fields of ExportTraceServiceRequest, and of what is in it. */
const request = { resourceSpans: 1 } as const;
const resourceSpans = { resource: 1, scopeSpans: 2, schemaUrl: 3 } as const;
const resourceFields = { attributes: 1 } as const;
const scopeSpans = { scope: 1, spans: 2 } as const;
const scopeFields = { name: 1, version: 2 } as const;
const span = {
  traceId: 1,
  spanId: 2,
  traceState: 3,
  parentSpanId: 4,
  name: 5,
  kind: 6,
  start: 7,
  end: 8,
  attributes: 9,
  status: 15,
  flags: 16,
} as const;
const statusFields = { message: 2, code: 3 } as const;
const failed = 2;
const keyValue = { key: 1, value: 2 } as const;
const anyValue = { text: 1, number: 3 } as const;
/** In the flags of a span, above those of its context: that the next bit says whether the parent is another's. */
const knowsParent = 0x100;
const parentIsRemote = 0x200;

/** Describes a sort of spans. */
export function sortOf(name: string, kind: (typeof kinds)[keyof typeof kinds], attributes: Readonly<Record<string, string>> = {}): Sort {
  const message = new MessageBytes(256);
  message.text(span.name, name);
  message.number(span.kind, kind);
  for (const [key, value] of Object.entries(attributes)) writeAttribute(message, span.attributes, nameOf(key), value);
  return message.done();
}

/** Writes an attribute's name down. */
export function nameOf(key: string): AttributeName {
  const message = new MessageBytes(64);
  message.text(keyValue.key, key);
  return message.done();
}

/** Who exports, and in whose name. */
export interface Exporter {
  readonly resource: resources.Resource;
  readonly scope: { readonly name: string; readonly version: string };
}

/** Lengths of messages are written before them: of so many bytes as they are expected to take. */
const [roomOfValue, roomOfSpan, roomOfAll] = [1, 2, 3];

/** Spans that go together. */
export interface SpanBatch {
  readonly add: (ended: EndedSpan) => void;
  readonly spans: () => number;
  /** Ends it. */
  readonly seal: () => Uint8Array;
}

/** Returns how to begin a batch. */
export function openBatches({ resource, scope }: Exporter): () => SpanBatch {
  const about = new MessageBytes(1024);
  const inResource = about.open(resourceSpans.resource, roomOfSpan);
  for (const [key, value] of Object.entries(resource.attributes))
    writeAttribute(about, resourceFields.attributes, nameOf(key), typeof value === "number" ? value : String(value));
  about.close(inResource, roomOfSpan);
  if (resource.schemaUrl !== undefined) about.text(resourceSpans.schemaUrl, resource.schemaUrl);
  const whose = about.done();
  /** The next batch is likely to be as large as the last. */
  let expected = 2 ** 14;

  return () => {
    const message = new MessageBytes(expected);
    let spans = 0;
    const inResourceSpans = message.open(request.resourceSpans, roomOfAll);
    message.fields(whose);
    const inScopeSpans = message.open(resourceSpans.scopeSpans, roomOfAll);
    const inScope = message.open(scopeSpans.scope, roomOfValue);
    message.text(scopeFields.name, scope.name);
    message.text(scopeFields.version, scope.version);
    message.close(inScope, roomOfValue);
    return {
      add: (ended) => {
        spans++;
        writeSpan(message, ended);
      },
      spans: () => spans,
      seal: () => {
        message.close(inScopeSpans, roomOfAll);
        message.close(inResourceSpans, roomOfAll);
        expected = message.length + 1024;
        return message.done();
      },
    };
  };
}

function writeSpan(message: MessageBytes, { sort, context, parent, start, end, attributes, trouble }: EndedSpan): void {
  const inSpan = message.open(scopeSpans.spans, roomOfSpan);
  message.hex(span.traceId, context.traceId);
  message.hex(span.spanId, context.spanId);
  const traceState = context.traceState?.serialize();
  if (traceState !== undefined && traceState !== "") message.text(span.traceState, traceState);
  if (parent !== undefined) message.hex(span.parentSpanId, parent.spanId);
  message.fields(sort);
  message.instant(span.start, start);
  message.instant(span.end, Math.max(start, end));
  for (const [name, value] of attributes) writeAttribute(message, span.attributes, name, typeof value === "string" ? brief(value) : value);
  const inStatus = message.open(span.status, roomOfValue);
  if (trouble !== undefined) {
    message.text(statusFields.message, trouble);
    message.number(statusFields.code, failed);
  }
  message.close(inStatus, roomOfValue);
  message.fixed32(span.flags, context.traceFlags | knowsParent | (parent?.isRemote === true ? parentIsRemote : 0));
  message.close(inSpan, roomOfSpan);
}

/** UTF-16 units of an attribute. */
const longest = 1024;
const brief = (text: string): string => cut(text, longest);

function writeAttribute(message: MessageBytes, field: number, name: AttributeName, value: string | number): void {
  const inPair = message.open(field, roomOfValue);
  message.fields(name);
  const inValue = message.open(keyValue.value, roomOfValue);
  if (typeof value === "string") message.text(anyValue.text, value);
  else message.number(anyValue.number, value);
  message.close(inValue, roomOfValue);
  message.close(inPair, roomOfValue);
}
