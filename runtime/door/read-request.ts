/** What a program asks -> an input that can be decided; throws a `RequestError` with everything that is wrong. */
import type { AuxData, CheckInput, Principal, Resource } from "../decide/input.ts";
import { scopeForm, versionForm } from "../decide/policy-name.ts";
import { type Note, openProblems, wordFor } from "./problems.ts";
import { takeObject, type Taking } from "./snapshot.ts";

/** A request, read. */
export interface Asked {
  readonly input: CheckInput;
  /** Length of the longest text in it: what a turn of a loop may cost. */
  readonly longestText: number;
}

/** Reads a request: a copy, so that nothing can change it while it is decided. */
export function readRequest(request: unknown): Asked {
  const { note, end } = openProblems("RequestError", "this cannot be decided");
  let longestText = 0;
  const taking: Taking = {
    note,
    integers: false,
    sees: (text) => {
      if (text.length > longestText) longestText = text.length;
    },
  };
  const fields = fieldsOf(request, "", ["principal", "resource", "actions", "requestId", "auxData"], note);
  const principal = readPrincipal(fields["principal"], taking);
  const resource = readResource(fields["resource"], taking);
  const actions = readNames(fields["actions"], "actions", "action", taking);
  const requestId = readText(fields["requestId"], "requestId", taking);
  const auxData = readAuxData(fields["auxData"], taking);
  end();
  // Here and below: fields that are there are set one by one, because a spread copy costs more than the rest of reading.
  const input: Writable<CheckInput> = { principal, resource, actions };
  if (requestId !== "") input.requestId = requestId;
  if (auxData !== undefined) input.auxData = auxData;
  return { input, longestText };
}

type Writable<T> = { -readonly [name in keyof T]: T[name] };
type Fields = { readonly [name: string]: unknown };

/** Looks at the fields of an object; one that nobody knows is a slip of the pen. */
function fieldsOf(value: unknown, at: string, known: readonly string[], note: Note): Fields {
  if (!isFields(value)) {
    note(at, `must be an object with ${known.slice(0, 3).join(", ")}: ${wordFor(value)}`);
    return nothing;
  }
  for (const name of Object.keys(value))
    if (!known.includes(name) && value[name] !== undefined)
      note(at === "" ? name : `${at}.${name}`, `is not known here: there is ${known.join(", ")}`);
  return value;
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

const nothing: Fields = Object.freeze({});

function readText(value: unknown, at: string, { note, sees }: Taking, required = false): string {
  if (typeof value === "string") {
    if (required && value === "") note(at, "must not be empty");
    sees(value);
    return value;
  }
  if (required || (value !== undefined && value !== null)) note(at, `must be a text: ${wordFor(value)}`);
  return "";
}

function readNames(value: unknown, at: string, one: string, taking: Taking): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) {
    taking.note(at, `must be a list with at least one ${one}${Array.isArray(value) ? "" : `: ${wordFor(value)}`}`);
    return [];
  }
  const names: string[] = [];
  for (let index = 0; index < value.length; index++) names.push(readText(value[index], `${at}[${index}]`, taking, true));
  const seen = names.length > few ? new Set<string>() : undefined;
  names.forEach((name, index) => {
    const again = seen === undefined ? names.indexOf(name) < index : seen.size === seen.add(name).size;
    if (again && name !== "") taking.note(`${at}[${index}]`, "is there already");
  });
  return names;
}

/** Above so many names a set is faster than comparing. */
const few = 16;

const ofBoth = ["attr", "policyVersion", "scope"];
const principalFields = ["id", "roles", ...ofBoth];
const resourceFields = ["kind", "id", ...ofBoth];

/** Reads what principals and resources have alike into what was read of one. */
function readPlace(fields: Fields, at: string, into: Writable<Principal | Resource>, taking: Taking): void {
  const attr = takeObject(fields["attr"], `${at}.attr`, taking);
  if (attr !== undefined) into.attr = attr;
  const version = readText(fields["policyVersion"], `${at}.policyVersion`, taking);
  if (version !== "") into.policyVersion = version;
  if (version !== "" && !versionForm.test(version))
    taking.note(`${at}.policyVersion`, "must be letters, digits and underscores, as versions of policies are");
  const scope = readText(fields["scope"], `${at}.scope`, taking);
  if (scope !== "") into.scope = scope;
  if (!scopeForm.test(scope)) taking.note(`${at}.scope`, "must be names of letters, digits, `_` and `-`, with single dots between");
}

function readPrincipal(value: unknown, taking: Taking): Principal {
  const at = "principal";
  const fields = fieldsOf(value, at, principalFields, taking.note);
  if (value === undefined) return { id: "", roles: [] };
  const id = readText(fields["id"], `${at}.id`, taking, true);
  const principal: Writable<Principal> = { id, roles: readNames(fields["roles"], `${at}.roles`, "role", taking) };
  readPlace(fields, at, principal, taking);
  return principal;
}

function readResource(value: unknown, taking: Taking): Resource {
  const at = "resource";
  const fields = fieldsOf(value, at, resourceFields, taking.note);
  if (value === undefined) return { kind: "", id: "" };
  const kind = readText(fields["kind"], `${at}.kind`, taking, true);
  const resource: Writable<Resource> = { kind, id: readText(fields["id"], `${at}.id`, taking, true) };
  readPlace(fields, at, resource, taking);
  return resource;
}

function readAuxData(value: unknown, taking: Taking): AuxData | undefined {
  if (value === undefined || value === null) return undefined;
  const { jwt, jwts } = fieldsOf(value, "auxData", ["jwt", "jwts"], taking.note);
  if (jwt !== undefined && jwts !== undefined)
    taking.note("auxData", "has both `jwt` and `jwts`: claims are of one token, or of several by name");
  if (jwts !== undefined) {
    const named = Object.entries(typeof jwts === "object" && jwts !== null ? jwts : fieldsOf(jwts, "auxData.jwts", [], taking.note));
    const claims = named.map(([name, token]) => {
      const fields = fieldsOf(token, `auxData.jwts.${name}`, ["claims"], taking.note);
      return [name, { claims: takeObject(fields["claims"], `auxData.jwts.${name}.claims`, taking) ?? {} }] as const;
    });
    return { jwts: Object.fromEntries(claims) };
  }
  const claims = takeObject(jwt, "auxData.jwt", taking);
  return claims === undefined ? {} : { jwt: claims };
}
