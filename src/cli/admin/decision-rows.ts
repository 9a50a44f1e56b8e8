/** Decision entries as rows, one per action. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Entry } from "./audit-query.ts";

/** One decision. */
export interface DecisionRow {
  readonly entry: Entry;
  /** Its identity, which is stable as long as the entry is kept. */
  readonly id: string;
  readonly time: string;
  readonly principal: string;
  readonly kind: string;
  readonly resource: string;
  readonly action: string;
  /** `ALLOW` or `DENY`; "" when the entry has no effect. */
  readonly effect: string;
  readonly policy: string;
}

/** The columns of a list: heading and property. */
export const decisionColumns = [
  ["TIME", "time"],
  ["CALL ID", "callId"],
  ["PRINCIPAL", "principal"],
  ["KIND", "kind"],
  ["RESOURCE", "resource"],
  ["ACTION", "action"],
  ["EFFECT", "effect"],
  ["POLICY", "policy"],
] as const;

/** Returns the value of a row in a column. */
export const cellOf = (row: DecisionRow, column: (typeof decisionColumns)[number][1]): string =>
  column === "callId" ? row.entry.callId : row[column];

/** Converts an entry to rows; an entry without inputs becomes one row. */
export function rowsOf(entry: Entry): readonly DecisionRow[] {
  const check = objectIn(entry.json, "checkResources");
  const outputs = listIn(check, "outputs");
  const rows = listIn(check, "inputs").flatMap((input, at) => rowsOfInput(entry, input, outputs[at] ?? {}, at));
  return rows.length > 0 ? rows : [{ ...emptyRow(entry), effect: textIn(check, "error") === "" ? "" : "ERROR" }];
}

function rowsOfInput(entry: Entry, input: JsonObject, output: JsonObject, at: number): readonly DecisionRow[] {
  const [principal, resource, actions] = [objectIn(input, "principal"), objectIn(input, "resource"), objectIn(output, "actions")];
  const asked = Array.isArray(input["actions"]) ? input["actions"].map(text) : Object.keys(actions);
  return asked.map((action) => {
    const decided = Object.hasOwn(actions, action) ? objectIn(actions, action) : {};
    return {
      ...emptyRow(entry),
      id: `${entry.callId}/${at}/${action}`,
      principal: textIn(principal, "id"),
      kind: textIn(resource, "kind"),
      resource: textIn(resource, "id"),
      action,
      effect: textIn(decided, "effect").replace(/^EFFECT_/, ""),
      policy: textIn(decided, "policy"),
    };
  });
}

const emptyRow = (entry: Entry): DecisionRow => ({
  entry,
  id: entry.callId,
  time: new Date(entry.at).toISOString(),
  principal: "",
  kind: "",
  resource: "",
  action: "",
  effect: "",
  policy: "",
});

const text = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");
const textIn = (object: JsonObject, name: string): string => text(object[name]);
const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

function listIn(object: JsonObject, name: string): readonly JsonObject[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}
