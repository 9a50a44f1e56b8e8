/** Replaces `door/read-request.ts` in modules for browsers and workers: the same behaviour in less code. */
import { fieldsOf } from "../door/fields.ts";
import { checkScope, checkVersion } from "../door/forms.ts";
import { throwProblems, addProblem, describeType } from "../door/problems.ts";
import { readAuxData } from "../door/read-aux-data.ts";
import type { readSingleAction as question, readRequest as request } from "../door/read-request.ts";
import { openCopyState, copyObject, checkText, type CopyState } from "../door/snapshot.ts";

/** Reads a request into a copy, so that nothing can change it during the decision. */
export const readRequest: typeof request = (asked) => {
  const state = openCopyState(false);
  const fields = fieldsOf(asked, "", ["principal", "resource", "actions", "requestId", "auxData"], state);
  const principal = readPlace(fields["principal"], "principal", ["id", "roles"], state);
  const resource = readPlace(fields["resource"], "resource", ["kind", "id"], state);
  const actions = readNames(fields["actions"], "actions", "action", state);
  const requestId = readText(fields["requestId"], "requestId", state);
  const auxData = readAuxData(fields["auxData"], state);
  throwProblems(state, "RequestError", "this cannot be decided");
  const input = { principal, resource, actions, ...(requestId !== "" && { requestId }), ...(auxData !== undefined && { auxData }) };
  // A cast: missing required fields are problems, which were thrown.
  return { input: input as never, longestText: state.longestText };
};

/** Reads a request about a single action. */
export const readSingleAction: typeof question = (principal, resource, action, auxData) =>
  readRequest({ principal, resource, actions: [action], auxData });

function readText(value: unknown, at: string, state: CopyState, required = false): string {
  if (typeof value === "string") {
    if (required && value === "") addProblem(state, at, "must not be empty");
    return checkText(value, at, undefined, state);
  }
  if (required || (value !== undefined && value !== null)) addProblem(state, at, `must be a string: ${describeType(value)}`);
  return "";
}

function readNames(value: unknown, at: string, one: string, state: CopyState): readonly string[] {
  const names: string[] = [];
  if (!Array.isArray(value) || value.length === 0)
    addProblem(state, at, `must be a list with at least one ${one}${Array.isArray(value) ? "" : `: ${describeType(value)}`}`);
  else for (let index = 0; index < value.length; index++) names.push(readText(value[index], `${at}[${index}]`, state, true));
  const seen = new Set<string>();
  names.forEach((name, index) => {
    if (seen.size === seen.add(name).size && name !== "") addProblem(state, `${at}[${index}]`, "is a duplicate");
  });
  return names;
}

/** Reads a principal or a resource: its own fields, and those that both have. */
function readPlace(value: unknown, at: string, own: readonly string[], state: CopyState): object {
  const known = [...own, "attr", "policyVersion", "scope"];
  const fields = fieldsOf(value, at, known, state);
  const read: { [name: string]: unknown } = {};
  if (value === undefined) return read;
  for (const name of known) {
    const field = fields[name];
    const place = `${at}.${name}`;
    const taken =
      name === "attr"
        ? copyObject(field, place, state)
        : name === "roles"
          ? readNames(field, place, "role", state)
          : readText(field, place, state, own.includes(name));
    if (taken === undefined || taken === "") continue;
    read[name] = taken;
    // These two are strings.
    if (name === "policyVersion") checkVersion(taken as string, place, state);
    if (name === "scope") checkScope(taken as string, place, state);
  }
  return read;
}
