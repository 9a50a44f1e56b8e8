/** Encodes spans for OTLP. Fields that all spans of a sort share are encoded once, and copied. */
import type { SpanContext } from "@opentelemetry/api";
import type { resources } from "@opentelemetry/sdk-node";
import { cut } from "../../../runtime/cut.ts";
import { MessageBytes } from "./message.ts";

/** The encoded fields that all spans of a sort share. */
export type Sort = Uint8Array;

/** The name of an attribute, encoded as a field of a KeyValue. */
export type AttributeName = Uint8Array;

/** An attribute; numbers must be non-negative integers. */
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
  /** The error message; undefined when the span succeeded. */
  readonly trouble: string | undefined;
}

/** The span kinds, by their protobuf numbers. */
export const kinds = { internal: 1, server: 2, client: 3 } as const;

/** Field numbers of ExportTraceServiceRequest and the messages in it. */
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
/** Flags above those of the context: that it is known whether the parent is remote, and that it is. */
const knowsParent = 0x100;
const parentIsRemote = 0x200;

/** Encodes what the spans of a sort share. */
export function sortOf(name: string, kind: (typeof kinds)[keyof typeof kinds], attributes: Readonly<Record<string, string>> = {}): Sort {
  const message = new MessageBytes(256);
  message.text(span.name, name);
  message.number(span.kind, kind);
  for (const [key, value] of Object.entries(attributes)) writeAttribute(message, span.attributes, nameOf(key), value);
  return message.done();
}

/** Encodes an attribute's name. */
export function nameOf(key: string): AttributeName {
  const message = new MessageBytes(64);
  message.text(keyValue.key, key);
  return message.done();
}

/** The exporting resource and the instrumentation scope. */
export interface Exporter {
  readonly resource: resources.Resource;
  readonly scope: { readonly name: string; readonly version: string };
}

/** The expected sizes in bytes of length prefixes. */
const [roomOfValue, roomOfSpan, roomOfAll] = [1, 2, 3];

/** A batch of spans. */
export interface SpanBatch {
  readonly add: (ended: EndedSpan) => void;
  readonly spans: () => number;
  /** Ends the batch, and returns it encoded. */
  readonly seal: () => Uint8Array;
}

/** Returns a function that begins a batch. */
export function openBatches({ resource, scope }: Exporter): () => SpanBatch {
  const about = new MessageBytes(1024);
  const inResource = about.open(resourceSpans.resource, roomOfSpan);
  for (const [key, value] of Object.entries(resource.attributes))
    writeAttribute(about, resourceFields.attributes, nameOf(key), typeof value === "number" ? value : String(value));
  about.close(inResource, roomOfSpan);
  if (resource.schemaUrl !== undefined) about.text(resourceSpans.schemaUrl, resource.schemaUrl);
  const whose = about.done();
  /** The next batch will probably be as large as the last. */
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

/** The most UTF-16 units of an attribute's value. */
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
