/** Converts a program's request to an input of the decision. Throws a `RequestError` with everything that is wrong. */
import type { CheckInput, Principal, Resource } from "../decide/input.ts";
import { type Fields, isFields, noteStrangers } from "./fields.ts";
import { checkScope, checkVersion } from "./forms.ts";
import { endWith, note, wordFor } from "./problems.ts";
import { readAuxData } from "./read-aux-data.ts";
import { type Name, openTaking, placeOf, takeObject, takeText, type Taking } from "./snapshot.ts";

/** A validated request. */
export interface Asked {
  readonly input: CheckInput;
  /** Length in UTF-16 units of the longest string; it determines the price of a loop step. */
  readonly longestText: number;
}

/** Reads a request into a copy, so that nothing can change it during the decision. */
export function readRequest(request: unknown): Asked {
  const taking = openTaking(false);
  const fields = fieldsOf(request, "", requestFields, taking);
  const principal = readPrincipal(fields["principal"], taking);
  const resource = readResource(fields["resource"], taking);
  const actions = readNames(fields["actions"], "actions", "action", taking);
  const requestId = readText(fields["requestId"], "requestId", taking);
  return askedOf(principal, resource, actions, requestId, fields["auxData"], taking);
}

/** Reads a request about a single action. */
export function readQuestion(principal: unknown, resource: unknown, action: unknown, auxData: unknown): Asked {
  const taking = openTaking(false);
  const who = readPrincipal(principal, taking);
  const what = readResource(resource, taking);
  return askedOf(who, what, [readName(action, "actions", 0, taking)], "", auxData, taking);
}

function askedOf(
  principal: Principal,
  resource: Resource,
  actions: readonly string[],
  requestId: string,
  said: unknown,
  taking: Taking,
): Asked {
  const auxData = readAuxData(said, taking);
  endWith(taking, "RequestError", "this cannot be decided");
  // Here and below, optional fields are assigned one by one, because a spread copy costs more than all other reading.
  const input: Writable<CheckInput> = { principal, resource, actions };
  if (requestId !== "") input.requestId = requestId;
  if (auxData !== undefined) input.auxData = auxData;
  return { input, longestText: taking.longestText };
}

type Writable<T> = { -readonly [name in keyof T]: T[name] };

const requestFields = ["principal", "resource", "actions", "requestId", "auxData"];

/** Returns the value if it is an object, and reports its unknown fields, which are probably typing errors. */
function fieldsOf(value: unknown, at: string, known: readonly string[], taking: Taking): Fields {
  if (!isFields(value)) {
    note(taking, at, `must be an object with ${known.slice(0, 3).join(", ")}: ${wordFor(value)}`);
    return nothing;
  }
  // Faster than Object.keys, and usually sufficient; it also visits inherited names, which `noteStrangers` sorts out.
  for (const name in value)
    if (!known.includes(name)) {
      noteStrangers(value, at, known, taking);
      break;
    }
  return value;
}

const nothing: Fields = Object.freeze({});

function readText(value: unknown, at: string, taking: Taking, required = false, name?: Name): string {
  if (typeof value === "string" && (value !== "" || !required)) return takeText(value, at, name, taking);
  if (required || (value !== undefined && value !== null)) noteNoText(value, at, name, taking);
  return "";
}

const noteNoText = (value: unknown, at: string, name: Name, taking: Taking): void =>
  note(taking, placeOf(at, name), value === "" ? "must not be empty" : `must be a string: ${wordFor(value)}`);

function readNames(value: unknown, at: string, one: string, taking: Taking): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) {
    const problem = `must be a list with at least one ${one}${Array.isArray(value) ? "" : `: ${wordFor(value)}`}`;
    note(taking, at, problem);
    return [];
  }
  const first = readName(value[0], at, 0, taking);
  // Most lists have one name and need no growing array.
  if (value.length === 1) return [first];
  const names = [first];
  for (let index = 1; index < value.length; index++) names.push(readName(value[index], at, index, taking));
  noteTwins(names, at, taking);
  return names;
}

const readName = (name: unknown, at: string, index: number, taking: Taking): string => readText(name, at, taking, true, index);

function noteTwins(names: readonly string[], at: string, taking: Taking): void {
  const seen = names.length > few ? new Set<string>() : undefined;
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? ""; // cannot happen: the index is below the length
    const again = seen === undefined ? names.indexOf(name) < index : seen.size === seen.add(name).size;
    if (again && name !== "") note(taking, `${at}[${index}]`, "is a duplicate");
  }
}

/** Above this many names a Set is faster than comparing pairs. */
const few = 16;

const ofBoth = ["attr", "policyVersion", "scope"];
const principalFields = ["id", "roles", ...ofBoth];
const resourceFields = ["kind", "id", ...ofBoth];

/** Constant paths, so that they are not concatenated for each request. */
interface Places {
  readonly attr: string;
  readonly policyVersion: string;
  readonly scope: string;
}
const placesIn = (at: string): Places => ({ attr: `${at}.attr`, policyVersion: `${at}.policyVersion`, scope: `${at}.scope` });
const inPrincipal = placesIn("principal");
const inResource = placesIn("resource");

/** Reads the fields that principals and resources share. */
function readPlace(fields: Fields, at: Places, into: Writable<Principal | Resource>, taking: Taking): void {
  const attr = takeObject(fields["attr"], at.attr, taking);
  if (attr !== undefined) into.attr = attr;
  const version = readText(fields["policyVersion"], at.policyVersion, taking);
  if (version !== "") {
    into.policyVersion = version;
    checkVersion(version, at.policyVersion, taking);
  }
  const scope = readText(fields["scope"], at.scope, taking);
  if (scope === "") return;
  into.scope = scope;
  checkScope(scope, at.scope, taking);
}

function readPrincipal(value: unknown, taking: Taking): Principal {
  const fields = fieldsOf(value, "principal", principalFields, taking);
  if (value === undefined) return { id: "", roles: [] };
  const id = readText(fields["id"], "principal.id", taking, true);
  // As an object literal: assigning could run a setter on a tampered prototype.
  const principal: Writable<Principal> = { id, roles: readNames(fields["roles"], "principal.roles", "role", taking) };
  readPlace(fields, inPrincipal, principal, taking);
  return principal;
}

function readResource(value: unknown, taking: Taking): Resource {
  const fields = fieldsOf(value, "resource", resourceFields, taking);
  if (value === undefined) return { kind: "", id: "" };
  const kind = readText(fields["kind"], "resource.kind", taking, true);
  const resource: Writable<Resource> = { kind, id: readText(fields["id"], "resource.id", taking, true) };
  readPlace(fields, inResource, resource, taking);
  return resource;
}
