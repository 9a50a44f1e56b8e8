/** The fields of check requests that an error can refer to: number, proto name and type as in the contract. */

/** One field as the contract declares it. */
export interface Field {
  readonly fieldNumber: number;
  readonly fieldName: string;
  readonly fieldType: "TYPE_STRING" | "TYPE_MESSAGE" | "TYPE_BYTES";
  /** Set on maps; their entries are referred to by key. */
  readonly keyType?: "TYPE_STRING";
  readonly valueType?: "TYPE_MESSAGE";
}

const text = (fieldNumber: number, fieldName: string): Field => ({ fieldNumber, fieldName, fieldType: "TYPE_STRING" });
const message = (fieldNumber: number, fieldName: string): Field => ({ fieldNumber, fieldName, fieldType: "TYPE_MESSAGE" });
const map = (fieldNumber: number, fieldName: string): Field => ({
  ...message(fieldNumber, fieldName),
  keyType: "TYPE_STRING",
  valueType: "TYPE_MESSAGE",
});

/** By message, in declaration order: violations are reported in that order. */
export const fields = {
  request: {
    principal: message(3, "principal"),
    resources: message(4, "resources"),
    auxData: message(5, "aux_data"),
    requestContext: message(6, "request_context"),
  },
  setRequest: {
    actions: text(2, "actions"),
    principal: message(3, "principal"),
    resource: message(4, "resource"),
    auxData: message(6, "aux_data"),
  },
  batchRequest: {
    principal: message(2, "principal"),
    resources: message(3, "resources"),
    auxData: message(4, "aux_data"),
  },
  principal: {
    id: text(1, "id"),
    policyVersion: text(2, "policy_version"),
    roles: text(3, "roles"),
    attr: map(4, "attr"),
    scope: text(5, "scope"),
  },
  entry: {
    actions: text(1, "actions"),
    resource: message(2, "resource"),
  },
  resource: {
    kind: text(1, "kind"),
    policyVersion: text(2, "policy_version"),
    id: text(3, "id"),
    attr: map(4, "attr"),
    scope: text(5, "scope"),
  },
  resourceSet: {
    kind: text(1, "kind"),
    policyVersion: text(2, "policy_version"),
    instances: map(3, "instances"),
    scope: text(4, "scope"),
  },
  auxData: {
    jwt: message(1, "jwt"),
    jwts: map(2, "jwts"),
  },
  jwt: {
    token: text(1, "token"),
  },
  requestContext: {
    annotations: map(1, "annotations"),
  },
} as const;

/** One step of the path from the request to the field of an error; `name` is the caller's spelling. */
export interface Step {
  readonly name: string;
  readonly field: Field;
  /** The index of a list item. */
  readonly index?: number;
  /** The key of a map entry. */
  readonly key?: string;
}

/** The path from the request to a field. */
export type Place = readonly Step[];

/** Prints a path in the caller's spelling: `resources[1].resource.attr["a"]`. */
export const printPlace = (place: Place): string =>
  place
    .map(({ name, index, key }) => name + (index === undefined ? "" : `[${index}]`) + (key === undefined ? "" : `[${JSON.stringify(key)}]`))
    .join(".");
