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
export function policyBindings(input: CheckInput, options: ActivationOptions): Bindings {
  const principal = principalRecord(input.principal);
  const resource = resourceRecord(input.resource);
  const request = requestRecord(principal, resource, input.auxData);
  const { globals, constants, variables } = options;
  const derived = record("runtime", [["effectiveDerivedRoles", "effective_derived_roles", options.effectiveDerivedRoles]]);
  const variableRecord = openRecord(
    "variables",
    (name) => variables.get(name),
    () => variables.keys(),
  );
  const constantRecord = openRecord(
    "constants",
    (name) => constants.get(name),
    () => constants.keys(),
  );
  const globalRecord = openRecord(
    "globals",
    (name) => (Object.hasOwn(globals, name) ? globals[name] : undefined),
    () => Object.keys(globals),
  );
  const names: ReadonlyMap<string, Value> = new Map<string, Value>([
    ["request", request],
    ["P", principal],
    ["R", resource],
    ["runtime", derived],
    ["V", variableRecord],
    ["variables", variableRecord],
    ["C", constantRecord],
    ["constants", constantRecord],
    ["G", globalRecord],
    ["globals", globalRecord],
  ]);
  return (name) => names.get(name);
}

/** A field in both spellings, its value (undefined: absent), and its zero where it has one. */
type Field = readonly [name: string, otherName: string, value: Value | undefined, zero?: Value];

/** A record with declared fields. As in protobuf, what holds its zero value counts as not there. */
function record(typeName: string, fields: readonly Field[]): Message {
  const byName = new Map(
    fields.flatMap(
      (field) =>
        [
          [field[0], field],
          [field[1], field],
        ] as const,
    ),
  );
  return new Message(
    typeName,
    (name) => {
      const field = byName.get(name);
      return field === undefined ? undefined : (field[2] ?? field[3]);
    },
    (name) => {
      const field = byName.get(name);
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
