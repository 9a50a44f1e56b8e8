/** Replaces `door/read-request.ts` in modules for browsers and workers: the same behaviour in less code. */
import { fieldsOf } from "../door/fields.ts";
import { checkScope, checkVersion } from "../door/forms.ts";
import { endWith, note, wordFor } from "../door/problems.ts";
import { readAuxData } from "../door/read-aux-data.ts";
import type { readQuestion as question, readRequest as request } from "../door/read-request.ts";
import { openTaking, takeObject, takeText, type Taking } from "../door/snapshot.ts";

/** Reads a request into a copy, so that nothing can change it during the decision. */
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
  // A cast: missing required fields are problems, which were thrown.
  return { input: input as never, longestText: taking.longestText };
};

/** Reads a request about a single action. */
export const readQuestion: typeof question = (principal, resource, action, auxData) =>
  readRequest({ principal, resource, actions: [action], auxData });

function readText(value: unknown, at: string, taking: Taking, required = false): string {
  if (typeof value === "string") {
    if (required && value === "") note(taking, at, "must not be empty");
    return takeText(value, at, undefined, taking);
  }
  if (required || (value !== undefined && value !== null)) note(taking, at, `must be a string: ${wordFor(value)}`);
  return "";
}

function readNames(value: unknown, at: string, one: string, taking: Taking): readonly string[] {
  const names: string[] = [];
  if (!Array.isArray(value) || value.length === 0)
    note(taking, at, `must be a list with at least one ${one}${Array.isArray(value) ? "" : `: ${wordFor(value)}`}`);
  else for (let index = 0; index < value.length; index++) names.push(readText(value[index], `${at}[${index}]`, taking, true));
  const seen = new Set<string>();
  names.forEach((name, index) => {
    if (seen.size === seen.add(name).size && name !== "") note(taking, `${at}[${index}]`, "is a duplicate");
  });
  return names;
}

/** Reads a principal or a resource: its own fields, and those that both have. */
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
    // These two are strings.
    if (name === "policyVersion") checkVersion(taken as string, place, taking);
    if (name === "scope") checkScope(taken as string, place, taking);
  }
  return read;
}
