/** Stands in modules for browsers and workers for `door/read-request.ts`, where a few bytes less count for more: the same, the plain way. */
import type { AuxData } from "../decide/input.ts";
import { scopeForm, versionForm } from "../decide/policy-name.ts";
import { endWith, note, wordFor } from "../door/problems.ts";
import type { readQuestion as question, readRequest as request } from "../door/read-request.ts";
import { openTaking, takeObject, type Taking } from "../door/snapshot.ts";

/** Reads a request: a copy, so that nothing can change it while it is decided. */
export const readRequest: typeof request = (asked) => {
  const taking = openTaking(false);
  const fields = fieldsOf(asked, "", ["principal", "resource", "actions", "requestId", "auxData"], taking);
  const principal = readPlace(fields["principal"], "principal", ["id", "roles"], taking);
  const resource = readPlace(fields["resource"], "resource", ["kind", "id"], taking);
  const actions = readNames(fields["actions"], "actions", "action", taking);
  const requestId = readText(fields["requestId"], "requestId", taking);
  const auxData = readAuxData(fields["auxData"], taking);
  endWith(taking, "RequestError", "this cannot be decided");
  const input = { principal, resource, actions, ...(requestId !== "" && { requestId }), ...(auxData !== undefined && { auxData }) };
  // A true edge: places without what they need are problems, which were thrown.
  return { input: input as never, longestText: taking.longestText };
};

/** Reads a request about one action. */
export const readQuestion: typeof question = (principal, resource, action, auxData) =>
  readRequest({ principal, resource, actions: [action], auxData });

type Fields = { readonly [name: string]: unknown };

/** Looks at the fields of an object; one that nobody knows is a slip of the pen. */
function fieldsOf(value: unknown, at: string, known: readonly string[], taking: Taking): Fields {
  if (!isFields(value)) {
    note(taking, at, `must be an object with ${known.slice(0, 3).join(", ")}: ${wordFor(value)}`);
    return {};
  }
  for (const name of Object.keys(value))
    if (!known.includes(name) && value[name] !== undefined)
      note(taking, at === "" ? name : `${at}.${name}`, `is not known here: there is ${known.join(", ")}`);
  return value;
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

function readText(value: unknown, at: string, taking: Taking, required = false): string {
  if (typeof value === "string") {
    if (required && value === "") note(taking, at, "must not be empty");
    if (value.length > taking.longestText) taking.longestText = value.length;
    return value;
  }
  if (required || (value !== undefined && value !== null)) note(taking, at, `must be a text: ${wordFor(value)}`);
  return "";
}

function readNames(value: unknown, at: string, one: string, taking: Taking): readonly string[] {
  const names: string[] = [];
  if (!Array.isArray(value) || value.length === 0)
    note(taking, at, `must be a list with at least one ${one}${Array.isArray(value) ? "" : `: ${wordFor(value)}`}`);
  else for (let index = 0; index < value.length; index++) names.push(readText(value[index], `${at}[${index}]`, taking, true));
  const seen = new Set<string>();
  names.forEach((name, index) => {
    if (seen.size === seen.add(name).size && name !== "") note(taking, `${at}[${index}]`, "is there already");
  });
  return names;
}

/** Reads a principal or a resource: what only it has, and what both have. */
function readPlace(value: unknown, at: string, own: readonly string[], taking: Taking): object {
  const known = [...own, "attr", "policyVersion", "scope"];
  const fields = fieldsOf(value, at, known, taking);
  const read: { [name: string]: unknown } = {};
  if (value === undefined) return read;
  for (const name of known) {
    const field = fields[name];
    const place = `${at}.${name}`;
    const taken =
      name === "attr"
        ? takeObject(field, place, taking)
        : name === "roles"
          ? readNames(field, place, "role", taking)
          : readText(field, place, taking, own.includes(name));
    if (taken === undefined || taken === "") continue;
    read[name] = taken;
    // These two are texts.
    if (name === "policyVersion" && !versionForm.test(taken as string))
      note(taking, place, "must be letters, digits and underscores, as versions of policies are");
    if (name === "scope" && !scopeForm.test(taken as string))
      note(taking, place, "must be names of letters, digits, `_` and `-`, with single dots between");
  }
  return read;
}

function readAuxData(value: unknown, taking: Taking): AuxData | undefined {
  if (value === undefined || value === null) return undefined;
  const { jwt, jwts } = fieldsOf(value, "auxData", ["jwt", "jwts"], taking);
  if (jwt !== undefined && jwts !== undefined)
    note(taking, "auxData", "has both `jwt` and `jwts`: claims are of one token, or of several by name");
  if (jwts !== undefined) {
    const named = Object.entries(typeof jwts === "object" && jwts !== null ? jwts : fieldsOf(jwts, "auxData.jwts", [], taking));
    const claims = named.map(([name, token]) => {
      const at = `auxData.jwts.${name}`;
      return [name, { claims: takeObject(fieldsOf(token, at, ["claims"], taking)["claims"], `${at}.claims`, taking) ?? {} }];
    });
    return { jwts: Object.fromEntries(claims) };
  }
  const claims = takeObject(jwt, "auxData.jwt", taking);
  return claims === undefined ? {} : { jwt: claims };
}
