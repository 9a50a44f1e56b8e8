/** What the names of a policy expression stand for: `request P R runtime V C G` and their long forms (semantics 5.1). */
import type { Bindings } from "../cel/evaluate/evaluate.ts";
import { Message, type JsonObject, type Value } from "../cel/value.ts";
import type { AuxData, CheckInput, Principal, Resource } from "./input.ts";

interface ActivationOptions {
  readonly globals: { readonly [name: string]: Value };
  readonly constants: ReadonlyMap<string, Value>;
  /** Only those that could be evaluated: the others are unset. */
  readonly variables: ReadonlyMap<string, Value>;
  readonly effectiveDerivedRoles: readonly string[];
}

/** Binds the names of a policy expression for one input. Records show what the request carried, never a default. */
export function policyBindings(input: CheckInput, { globals, constants, variables, effectiveDerivedRoles }: ActivationOptions): Bindings {
  // Each is made when it is first read, and stays the same: most expressions read one or two.
  const principal = once(() => principalRecord(input.principal));
  const resource = once(() => resourceRecord(input.resource));
  const request = once(() => requestRecord(principal(), resource(), input.auxData));
  const derived = once(() => record("runtime", [["effectiveDerivedRoles", "effective_derived_roles", effectiveDerivedRoles]]));
  const variableRecord = once(() =>
    openRecord(
      "variables",
      (name) => variables.get(name),
      () => variables.keys(),
    ),
  );
  const constantRecord = once(() =>
    openRecord(
      "constants",
      (name) => constants.get(name),
      () => constants.keys(),
    ),
  );
  const globalRecord = once(() =>
    openRecord(
      "globals",
      (name) => (Object.hasOwn(globals, name) ? globals[name] : undefined),
      () => Object.keys(globals),
    ),
  );
  return (name) => {
    switch (name) {
      case "request":
        return request();
      case "P":
        return principal();
      case "R":
        return resource();
      case "runtime":
        return derived();
      case "V":
      case "variables":
        return variableRecord();
      case "C":
      case "constants":
        return constantRecord();
      case "G":
      case "globals":
        return globalRecord();
      default:
        return undefined;
    }
  };
}

function once(make: () => Message): () => Message {
  let made: Message | undefined;
  return () => (made ??= make());
}

/** A field in both spellings, its value (undefined: absent), and its zero where it has one. */
type Field = readonly [name: string, otherName: string, value: Value | undefined, zero?: Value];

/** A record with declared fields. As in protobuf, what holds its zero value counts as not there. */
function record(typeName: string, fields: readonly Field[]): Message {
  const fieldNamed = (name: string): Field | undefined => {
    for (const field of fields) if (field[0] === name || field[1] === name) return field;
    return undefined;
  };
  return new Message(
    typeName,
    (name) => {
      const field = fieldNamed(name);
      return field === undefined ? undefined : (field[2] ?? field[3]);
    },
    (name) => {
      const field = fieldNamed(name);
      if (field === undefined) return undefined;
      const value = field[2];
      return value !== undefined && value !== "" && !isEmpty(value);
    },
    () => fields.map(([name]) => name),
  );
}

// A record that was sent is there even when it is empty; a list or map of none is as if it was not sent.
const isEmpty = (value: Value): boolean =>
  Array.isArray(value)
    ? value.length === 0
    : typeof value === "object" && value !== null && !(value instanceof Message) && Object.keys(value).length === 0;

/** A record whose fields nobody declared: a name that is not set is no field. */
const openRecord = (typeName: string, get: (name: string) => Value | undefined, names: () => Iterable<string>): Message =>
  new Message(
    typeName,
    get,
    (name) => get(name) !== undefined,
    () => [...names()],
  );

const nothing: JsonObject = {};

const principalRecord = (principal: Principal): Message =>
  record("principal", [["roles", "roles", principal.roles], ...fieldsOfBoth(principal)]);

const resourceRecord = (resource: Resource): Message => record("resource", [["kind", "kind", resource.kind], ...fieldsOfBoth(resource)]);

/** The fields that principals and resources have alike. */
const fieldsOfBoth = ({ id, attr, policyVersion, scope }: Principal | Resource): readonly Field[] => [
  ["id", "id", id],
  ["attr", "attr", attr, nothing],
  ["policyVersion", "policy_version", policyVersion, ""],
  ["scope", "scope", scope, ""],
];

const auxDataRecord = ({ jwt, jwts }: AuxData): Message =>
  record("auxData", [
    ["jwt", "jwt", jwt, nothing],
    ["jwts", "jwts", jwts === undefined ? undefined : jwtRecords(jwts), nothing],
  ]);

// Names of tokens are the caller's words: no name may become a prototype.
const jwtRecords = (jwts: NonNullable<AuxData["jwts"]>): JsonObject =>
  Object.fromEntries(Object.entries(jwts).map(([name, { claims }]) => [name, record("claims", [["claims", "claims", claims, nothing]])]));

const requestRecord = (principal: Message, resource: Message, auxData: AuxData | undefined): Message =>
  record("request", [
    ["principal", "principal", principal],
    ["resource", "resource", resource],
    ["auxData", "aux_data", auxData === undefined ? undefined : auxDataRecord(auxData), auxDataRecord({})],
  ]);
