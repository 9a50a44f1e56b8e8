/** Reads the JSON text of a request for decisions strictly: a valid request, or every reason why it is refused. */
import { invariant } from "../cel/error.ts";
import type { JsonObject } from "../cel/value.ts";
import type { AuxData, CheckInput, Principal } from "../decide/input.ts";
import { readAttributes, requireNames } from "./attributes.ts";
import { readAuxData, type Tokens } from "./aux-data.ts";
import { code } from "./code.ts";
import { holdsMoreValuesThan, defaultMaxValues } from "./count-values.ts";
import { fields } from "./field.ts";
import { isJsonObject, type Json } from "./json.ts";
import { printJsonMistake } from "./json-mistake.ts";
import { positionOf } from "./position.ts";
import { readPrincipal } from "./principal.ts";
import {
  countField,
  reportNotObject,
  readFlag,
  readObject,
  readText,
  root,
  spelling,
  startReading,
  reportUnknownField,
  type Reading,
  type LazyPath,
} from "./reading.ts";
import { refuse, refuseViolations, type Refusal } from "./refusal.ts";
import { readEntries, type Entry } from "./resource.ts";
import { countKeyColons, locate, scanJson } from "./scan.ts";
import { sourceOf, type Source } from "./source.ts";
import { skipSpace, type TextProblem } from "./token.ts";

/** A request that satisfies every constraint. */
export interface CheckRequest {
  readonly kind: "request";
  /** "" if the caller gave none. */
  readonly requestId: string;
  readonly includeMeta: boolean;
  readonly principal: Principal;
  readonly entries: readonly Entry[];
  /** Tokens, not yet verified. */
  readonly tokens: Tokens | undefined;
  /** Annotations that the caller wants recorded with the decision in the audit log. */
  readonly annotations: JsonObject | undefined;
  /** No string of the request needs an escape when it is written back to JSON. */
  readonly plain: boolean;
  /** Length in UTF-16 units of the longest string that a condition can see. */
  readonly longestText: number;
  /** Set if every entry shares the same list of actions (CheckResourceSet). */
  readonly sameActions?: true;
  /** The text of the request, if its parts can be copied to the record of the decision. */
  readonly source: Source | undefined;
}

/** How much one request may contain. */
export interface RequestLimits {
  readonly maxResourcesPerRequest: number;
  readonly maxActionsPerResource: number;
  /** Fields and items at every depth, counted before parsing; unset: `defaultMaxValues`. */
  readonly maxValuesPerRequest?: number;
}

/** Reads the message of one API call and records everything wrong with it. `text` is what `json` was parsed from. */
export type ReadMessage = (reading: Reading, json: Json, plain: boolean, text: string) => CheckRequest;

/**
 * Reads a request, or returns the refusal. Checked in this order, the first failure answers: number of values, JSON
 * syntax, form (unknown fields, wrong types, duplicate names), constraints, limits.
 */
export function readCheckRequest(
  text: string,
  limits: RequestLimits,
  readMessage: ReadMessage = readCheckResources,
): CheckRequest | Refusal {
  const body = skipSpace(text, 0) === text.length ? "{}" : text;
  const { maxValuesPerRequest = defaultMaxValues } = limits;
  if (holdsMoreValuesThan(body, maxValuesPerRequest)) return tooManyValues(maxValuesPerRequest);
  const json = parse(body);
  if (json === undefined) return malformed(body, scanJson(body));

  const reading = startReading();
  const plain = !body.includes("\\");
  const request = readMessage(reading, json, plain, body);

  const doubtful = reading.formError !== undefined || reading.outOfRange || reading.keys !== countKeyColons(body);
  if (doubtful || mayHoldHalfPairs(body, plain)) {
    const problem = scanJson(body);
    if (problem !== undefined) return malformed(body, problem);
    invariant(!reading.outOfRange, "the text's own reading refuses what makes attributes unsound");
  }
  if (reading.formError !== undefined) {
    const { path, of, sentence } = reading.formError;
    return refuse(code.invalidArgument, `${positionOf(body, locate(body, path, of))}: ${sentence}`);
  }
  if (reading.violations.length > 0) return refuseViolations(reading.violations, reading.unlisted);
  return overLimit(request, limits) ?? request;
}

/** The refusal of a request that holds more values than allowed. */
export const tooManyValues = (most: number): Refusal =>
  refuse(
    code.invalidArgument,
    `the request holds more than ${most} values: ask about fewer resources, or send fewer attributes (setting server.requestLimits.maxValuesPerRequest)`,
  );

/** Builds the input of the decision for each entry, with the verified claims if there are any. */
export const checkInputs = ({ requestId, principal, entries }: CheckRequest, auxData: AuxData | undefined): readonly CheckInput[] =>
  entries.map(({ resource, actions }) =>
    auxData === undefined ? { requestId, principal, resource, actions } : { requestId, principal, resource, actions, auxData },
  );

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function malformed(text: string, problem: TextProblem | undefined): Refusal {
  invariant(problem !== undefined, "what JSON.parse refuses, the text's own reading refuses");
  return refuse(code.invalidArgument, printJsonMistake(text, problem));
}

const surrogate = /[\ud800-\udfff]/u;
const escapedSurrogate = /\\u[dD][89a-fA-F]/;

/** Whether a string of the text could hold half a surrogate pair. May be true by mistake, never false by mistake. */
const mayHoldHalfPairs = (text: string, plain: boolean): boolean => surrogate.test(text) || (!plain && escapedSurrogate.test(text));

function readCheckResources(reading: Reading, json: Json, plain: boolean, text: string): CheckRequest {
  let requestId = "";
  let includeMeta = false;
  let principal: Json | undefined;
  let resources: Json | undefined;
  let auxData: Json | undefined;
  let requestContext: Json | undefined;
  const named = { requestId: "", includeMeta: "", auxData: "", requestContext: "" };
  let last = "";
  let lastButOne = "";

  if (!isJsonObject(json)) {
    reportNotObject(reading, json);
  } else {
    reading.length++;
    for (const name in json) {
      countField(reading, name);
      lastButOne = last;
      last = name;
      const field = json[name];
      switch (name) {
        case "principal":
          principal = field;
          break;
        case "resources":
          resources = field;
          break;
        case "requestId":
        case "request_id":
          named.requestId = spelling(reading, root, named.requestId, name);
          requestId = readText(reading, root, name, field);
          break;
        case "includeMeta":
        case "include_meta":
          named.includeMeta = spelling(reading, root, named.includeMeta, name);
          includeMeta = readFlag(reading, root, name, field);
          break;
        case "auxData":
        case "aux_data":
          named.auxData = spelling(reading, root, named.auxData, name);
          auxData = field;
          break;
        case "requestContext":
        case "request_context":
          named.requestContext = spelling(reading, root, named.requestContext, name);
          requestContext = field;
          break;
        default:
          reportUnknownField(reading, root, name, "requestId, includeMeta, principal, resources, auxData, requestContext");
      }
    }
  }
  const before = reading.length;
  const who = readPrincipal(reading, principal);
  const ofPrincipal = lastButOne === "principal" ? reading.length - before : 0;
  const ofEntries: number[] = [];
  const entries = readEntries(reading, resources, fields.request.resources, ofEntries);
  // Only the usual request is worth the computation: no escapes, `resources` last, no tokens, no annotations.
  const simple = plain && last === "resources" && auxData === undefined && requestContext === undefined;
  return {
    kind: "request",
    requestId,
    includeMeta,
    principal: who,
    entries,
    tokens: auxData === undefined ? undefined : readAuxData(reading, auxData, named.auxData),
    annotations: requestContext === undefined ? undefined : readRequestContext(reading, requestContext, named.requestContext),
    plain,
    longestText: reading.longestText,
    source: simple && reading.length === text.length ? sourceOf(text, ofPrincipal, ofEntries) : undefined,
  };
}

function readRequestContext(reading: Reading, value: Json, spelled: string): JsonObject | undefined {
  const context = readObject(reading, root, spelled, value);
  const here: LazyPath = () => [{ name: spelled, field: fields.request.requestContext }];
  let annotations: JsonObject | undefined;
  for (const name in context) {
    countField(reading, name);
    if (name === "annotations") annotations = readAttributes(reading, here, name, context[name], 3);
    else reportUnknownField(reading, here, name, "annotations");
  }
  requireNames(reading, here, fields.requestContext.annotations, "annotations", annotations, "annotation");
  return annotations;
}

/** Returns the refusal of a request with too many resources or actions; undefined if it is within the limits. */
export function overLimit(
  { entries, sameActions }: CheckRequest,
  { maxResourcesPerRequest, maxActionsPerResource }: RequestLimits,
): Refusal | undefined {
  if (entries.length > maxResourcesPerRequest) {
    return refuse(
      code.invalidArgument,
      `the request asks about ${entries.length} resources, but at most ${maxResourcesPerRequest} are allowed in one request (setting server.requestLimits.maxResourcesPerRequest)`,
    );
  }
  const index = entries.findIndex(({ actions }) => actions.length > maxActionsPerResource);
  // An element at -1 would be looked for by name, in the prototypes too.
  if (index === -1) return undefined;
  return refuse(
    code.invalidArgument,
    `\`${sameActions ? "actions" : `resources[${index}].actions`}\` asks for ${entries[index]?.actions.length} actions, but at most ${maxActionsPerResource} are allowed for one resource (setting server.requestLimits.maxActionsPerResource)`,
  );
}
