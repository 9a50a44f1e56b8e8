/** Reads a CheckResourcesRequest from protobuf bytes. The result equals that of reading its JSON text, or is undefined. */
import type { JsonObject } from "../cel/value.ts";
import type { Principal, Resource } from "../decide/input.ts";
import type { Token, Tokens } from "./aux-data.ts";
import { defaultMaxValues } from "./count-values.ts";
import { fields } from "./field.ts";
import { MessageReader, unusual } from "./message-reader.ts";
import { readMap } from "./message-value.ts";
import { validatePrincipal } from "./principal.ts";
import { root, startReading, type Reading } from "./reading.ts";
import { overLimit, type CheckRequest, type RequestLimits } from "./request.ts";
import { validateResource, type Entry } from "./resource.ts";
import { action, requireUnique } from "./rules.ts";

/** For each message, the fields that may repeat (lists and maps): bit n stands for field number n. */
const [requestLists, entryLists, principalLists, resourceLists, auxDataLists] = [
  1 << 4,
  1 << 1,
  (1 << 3) | (1 << 4),
  1 << 4,
  1 << 2,
] as const;

/**
 * Reads a valid request. Returns undefined in two cases, and the caller then reads the request as JSON text. First,
 * an unusual encoding: unknown fields, fields out of ascending order or repeated, duplicate names, values that JSON
 * cannot hold, annotations, bytes that are no message. Second, a request that must be refused: the JSON reader words
 * the reason.
 */
export function readCheckMessage(bytes: string, limits: RequestLimits): CheckRequest | undefined {
  // Every value of the JSON text takes at least one byte of the message.
  if (bytes.length >= (limits.maxValuesPerRequest ?? defaultMaxValues)) return undefined;
  const reader = new MessageReader(bytes);
  const reading = startReading();
  try {
    const request = readRequest(reader, reading, bytes.length);
    return reading.violations.length > 0 || overLimit(request, limits) !== undefined ? undefined : request;
  } catch (thrown) {
    if (thrown === unusual) return undefined;
    throw thrown;
  }
}

function readRequest(reader: MessageReader, reading: Reading, end: number): CheckRequest {
  let requestId = "";
  let includeMeta = false;
  let principal: Principal | undefined;
  const entries: Entry[] = [];
  let tokens: Tokens | undefined;
  for (let tag = 0; reader.goesOn(end);) {
    tag = reader.tag(tag, requestLists);
    switch (tag) {
      case 0x0a:
        requestId = reader.text(end);
        break;
      case 0x10:
        includeMeta = reader.flag();
        break;
      case 0x1a:
        principal = readPrincipal(reader, reading, reader.end(end));
        break;
      case 0x22:
        entries.push(readEntry(reader, reading, reader.end(end)));
        break;
      case 0x2a:
        tokens = readTokens(reader, reader.end(end));
        break;
      default:
        throw unusual;
    }
  }
  reader.close(end);
  if (principal === undefined || entries.length === 0) throw unusual;
  return {
    kind: "request",
    requestId,
    includeMeta,
    principal,
    entries,
    tokens,
    annotations: undefined,
    plain: reader.isPlain,
    longestText: reader.longestText,
    source: undefined,
  };
}

function readPrincipal(reader: MessageReader, reading: Reading, end: number): Principal {
  let id = "";
  const roles: string[] = [];
  let attr: JsonObject | undefined;
  let policyVersion = "";
  let scope = "";
  for (let tag = 0; reader.goesOn(end);) {
    tag = reader.tag(tag, principalLists);
    switch (tag) {
      case 0x0a:
        id = reader.text(end);
        break;
      case 0x12:
        policyVersion = reader.word(end);
        break;
      case 0x1a:
        roles.push(reader.word(end));
        break;
      case 0x22:
        attr = readMap(reader, tag, end);
        break;
      case 0x2a:
        scope = reader.word(end);
        break;
      default:
        throw unusual;
    }
  }
  reader.close(end);
  return validatePrincipal(reading, root, "", { id, roles, attr, policyVersion, scope });
}

function readEntry(reader: MessageReader, reading: Reading, end: number): Entry {
  const actions: string[] = [];
  let resource: Resource | undefined;
  for (let tag = 0; reader.goesOn(end);) {
    tag = reader.tag(tag, entryLists);
    if (tag === 0x0a) actions.push(reader.word(end));
    else if (tag === 0x12) resource = readResource(reader, reading, reader.end(end));
    else throw unusual;
  }
  reader.close(end);
  if (resource === undefined) throw unusual;
  requireUnique(reading, root, fields.entry.actions, "actions", actions, action);
  return { resource, actions };
}

function readResource(reader: MessageReader, reading: Reading, end: number): Resource {
  let kind = "";
  let policyVersion = "";
  let id = "";
  let attr: JsonObject | undefined;
  let scope = "";
  for (let tag = 0; reader.goesOn(end);) {
    tag = reader.tag(tag, resourceLists);
    switch (tag) {
      case 0x0a:
        kind = reader.word(end);
        break;
      case 0x12:
        policyVersion = reader.word(end);
        break;
      case 0x1a:
        id = reader.text(end);
        break;
      case 0x22:
        attr = readMap(reader, tag, end);
        break;
      case 0x2a:
        scope = reader.word(end);
        break;
      default:
        throw unusual;
    }
  }
  reader.close(end);
  return validateResource(reading, root, "", { kind, id, attr, policyVersion, scope });
}

/** Reads either one token or several by name; undefined if there are none. */
function readTokens(reader: MessageReader, end: number): Tokens | undefined {
  let jwt: Token | undefined;
  const jwts = new Map<string, Token>();
  for (let tag = 0; reader.goesOn(end);) {
    tag = reader.tag(tag, auxDataLists);
    if (tag === 0x0a) jwt = readToken(reader, reader.end(end));
    else if (tag === 0x12) readNamedToken(reader, reader.end(end), jwts);
    else throw unusual;
  }
  reader.close(end);
  if (jwt !== undefined && jwts.size > 0) throw unusual;
  if (jwt !== undefined) return { jwt };
  return jwts.size > 0 ? { jwts } : undefined;
}

const noNames = {};

function readNamedToken(reader: MessageReader, end: number, jwts: Map<string, Token>): void {
  if (!reader.hasNext(0x0a, end)) throw unusual;
  const name = reader.name(end);
  // The name is empty, given twice, or inherited by every object (`constructor`, `toString`).
  if (name === "" || jwts.has(name) || name in noNames || !reader.hasNext(0x12, end)) throw unusual;
  jwts.set(name, readToken(reader, reader.end(end)));
  reader.close(end);
}

function readToken(reader: MessageReader, end: number): Token {
  let token = "";
  let keySetId = "";
  for (let tag = 0; reader.goesOn(end);) {
    tag = reader.tag(tag, 0);
    if (tag === 0x0a) token = reader.text(end);
    else if (tag === 0x12) keySetId = reader.word(end);
    else throw unusual;
  }
  reader.close(end);
  if (token === "") throw unusual;
  return { token, keySetId };
}
