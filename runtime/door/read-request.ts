/** Converts a program's request to an input of the decision. Throws a `RequestError` with everything that is wrong. */
import type { CheckInput, Principal, Resource } from "../decide/input.ts";
import { type Fields, isFields, reportUnknownFields } from "./fields.ts";
import { checkScope, checkVersion } from "./forms.ts";
import { throwProblems, addProblem, describeType } from "./problems.ts";
import { readAuxData } from "./read-aux-data.ts";
import { type Name, openCopyState, placeOf, copyObject, checkText, type CopyState } from "./snapshot.ts";

/** A validated request. */
export interface RequestRead {
  readonly input: CheckInput;
  /** Length in UTF-16 units of the longest string; it determines the price of a loop step. */
  readonly longestText: number;
}

/** Reads a request into a copy, so that nothing can change it during the decision. */
export function readRequest(request: unknown): RequestRead {
  const state = openCopyState(false);
  const fields = fieldsOf(request, "", requestFields, state);
  const principal = readPrincipal(fields["principal"], state);
  const resource = readResource(fields["resource"], state);
  const actions = readNames(fields["actions"], "actions", "action", state);
  const requestId = readText(fields["requestId"], "requestId", state);
  return askedOf(principal, resource, actions, requestId, fields["auxData"], state);
}

/** Reads a request about a single action. */
export function readSingleAction(principal: unknown, resource: unknown, action: unknown, auxData: unknown): RequestRead {
  const state = openCopyState(false);
  const who = readPrincipal(principal, state);
  const what = readResource(resource, state);
  return askedOf(who, what, [readName(action, "actions", 0, state)], "", auxData, state);
}

function askedOf(
  principal: Principal,
  resource: Resource,
  actions: readonly string[],
  requestId: string,
  said: unknown,
  state: CopyState,
): RequestRead {
  const auxData = readAuxData(said, state);
  throwProblems(state, "RequestError", "this cannot be decided");
  // Here and below, optional fields are assigned one by one, because a spread copy costs more than all other reading.
  const input: Writable<CheckInput> = { principal, resource, actions };
  if (requestId !== "") input.requestId = requestId;
  if (auxData !== undefined) input.auxData = auxData;
  return { input, longestText: state.longestText };
}

type Writable<T> = { -readonly [name in keyof T]: T[name] };

const requestFields = ["principal", "resource", "actions", "requestId", "auxData"];

/** Returns the value if it is an object, and reports its unknown fields, which are probably typing errors. */
function fieldsOf(value: unknown, at: string, known: readonly string[], state: CopyState): Fields {
  if (!isFields(value)) {
    addProblem(state, at, `must be an object with ${known.slice(0, 3).join(", ")}: ${describeType(value)}`);
    return nothing;
  }
  // Faster than Object.keys, and usually sufficient; it also visits inherited names, which `reportUnknownFields` sorts out.
  for (const name in value)
    if (!known.includes(name)) {
      reportUnknownFields(value, at, known, state);
      break;
    }
  return value;
}

const nothing: Fields = Object.freeze({});

function readText(value: unknown, at: string, state: CopyState, required = false, name?: Name): string {
  if (typeof value === "string" && (value !== "" || !required)) return checkText(value, at, name, state);
  if (required || (value !== undefined && value !== null)) noteNoText(value, at, name, state);
  return "";
}

const noteNoText = (value: unknown, at: string, name: Name, state: CopyState): void =>
  addProblem(state, placeOf(at, name), value === "" ? "must not be empty" : `must be a string: ${describeType(value)}`);

function readNames(value: unknown, at: string, one: string, state: CopyState): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) {
    const problem = `must be a list with at least one ${one}${Array.isArray(value) ? "" : `: ${describeType(value)}`}`;
    addProblem(state, at, problem);
    return [];
  }
  const first = readName(value[0], at, 0, state);
  // Most lists have one name and need no growing array.
  if (value.length === 1) return [first];
  const names = [first];
  for (let index = 1; index < value.length; index++) names.push(readName(value[index], at, index, state));
  noteTwins(names, at, state);
  return names;
}

const readName = (name: unknown, at: string, index: number, state: CopyState): string => readText(name, at, state, true, index);

function noteTwins(names: readonly string[], at: string, state: CopyState): void {
  const seen = names.length > few ? new Set<string>() : undefined;
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? ""; // cannot happen: the index is below the length
    const again = seen === undefined ? names.indexOf(name) < index : seen.size === seen.add(name).size;
    if (again && name !== "") addProblem(state, `${at}[${index}]`, "is a duplicate");
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
function readPlace(fields: Fields, at: Places, into: Writable<Principal | Resource>, state: CopyState): void {
  const attr = copyObject(fields["attr"], at.attr, state);
  if (attr !== undefined) into.attr = attr;
  const version = readText(fields["policyVersion"], at.policyVersion, state);
  if (version !== "") {
    into.policyVersion = version;
    checkVersion(version, at.policyVersion, state);
  }
  const scope = readText(fields["scope"], at.scope, state);
  if (scope === "") return;
  into.scope = scope;
  checkScope(scope, at.scope, state);
}

function readPrincipal(value: unknown, state: CopyState): Principal {
  const fields = fieldsOf(value, "principal", principalFields, state);
  if (value === undefined) return { id: "", roles: [] };
  const id = readText(fields["id"], "principal.id", state, true);
  // As an object literal: assigning could run a setter on a tampered prototype.
  const principal: Writable<Principal> = { id, roles: readNames(fields["roles"], "principal.roles", "role", state) };
  readPlace(fields, inPrincipal, principal, state);
  return principal;
}

function readResource(value: unknown, state: CopyState): Resource {
  const fields = fieldsOf(value, "resource", resourceFields, state);
  if (value === undefined) return { kind: "", id: "" };
  const kind = readText(fields["kind"], "resource.kind", state, true);
  const resource: Writable<Resource> = { kind, id: readText(fields["id"], "resource.id", state, true) };
  readPlace(fields, inResource, resource, state);
  return resource;
}
