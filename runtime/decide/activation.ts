/** The values of the names in policy expressions: `request P R runtime V C G` and their long forms (semantics 5.1). */
import type { Bindings } from "../cel/evaluate/evaluate.ts";
import { Message, type JsonObject, type Value } from "../cel/value.ts";
import type { AuxData, CheckInput, Principal, Resource } from "./input.ts";

interface ActivationOptions {
  readonly globals: { readonly [name: string]: Value };
  readonly constants: ReadonlyMap<string, Value>;
  /** Only variables without error; the others are unset. */
  readonly variables: ReadonlyMap<string, Value>;
  readonly effectiveDerivedRoles: readonly string[];
}

/**
 * Binds the names of a policy expression for one input. The messages show what the request carried, without defaults
 * applied.
 */
export function policyBindings(input: CheckInput, options: ActivationOptions, records: InputRecords = new InputRecords(input)): Bindings {
  const names = new NameRecords(options);
  return (name) => {
    switch (name) {
      case "request":
        return records.request();
      case "P":
        return records.principal();
      case "R":
        return records.resource();
      case "runtime":
        return names.runtime();
      case "V":
      case "variables":
        return names.variables();
      case "C":
      case "constants":
        return names.constants();
      case "G":
      case "globals":
        return names.globals();
      default:
        return undefined;
    }
  };
}

/**
 * The messages that all policies read for one input (`P`, `R`, `request`). Each is created on first read and then
 * reused.
 */
export class InputRecords {
  private readonly input: CheckInput;
  private madePrincipal: Message | undefined = undefined;
  private madeResource: Message | undefined = undefined;
  private madeRequest: Message | undefined = undefined;
  private madeAuxData: Message | undefined = undefined;

  constructor(input: CheckInput) {
    this.input = input;
  }
  principal(): Message {
    return (this.madePrincipal ??= principalRecord(this.input.principal));
  }
  resource(): Message {
    return (this.madeResource ??= resourceRecord(this.input.resource));
  }
  request(): Message {
    return (this.madeRequest ??= requestRecord(this));
  }
  auxData(): Message | undefined {
    const { auxData } = this.input;
    return auxData && (this.madeAuxData ??= auxDataRecord(auxData));
  }
}

/** The messages that differ by policy (`runtime`, `V`, `C`, `G`), created in the same way. */
class NameRecords {
  private readonly options: ActivationOptions;
  private madeRuntime: Message | undefined = undefined;
  private madeVariables: Variables | undefined = undefined;
  private madeConstants: Message | undefined = undefined;
  private madeGlobals: Message | undefined = undefined;

  constructor(options: ActivationOptions) {
    this.options = options;
  }
  runtime(): Message {
    return (this.madeRuntime ??= runtimeRecord(this.options.effectiveDerivedRoles));
  }
  variables(): Message {
    return (this.madeVariables ??= new Variables(this.options.variables)).record();
  }
  constants(): Message {
    return (this.madeConstants ??= openRecord("constants", this.options.constants));
  }
  globals(): Message {
    return (this.madeGlobals ??= globalsRecord(this.options.globals));
  }
}

/**
 * The message `V`. Variables are added while they are evaluated. A message taken earlier must not change (a
 * variable's value may contain it, and would then contain itself), so each shows only the variables that existed when
 * it was taken.
 */
class Variables {
  private readonly values: ReadonlyMap<string, Value>;
  /** The position of each variable known so far, in order of evaluation. */
  private readonly places = new Map<string, number>();
  private readonly names: Iterator<string>;
  private last: Message | undefined = undefined;

  constructor(values: ReadonlyMap<string, Value>) {
    this.values = values;
    this.names = values.keys();
  }
  record(): Message {
    const { values, places, names } = this;
    const { size } = values;
    if (this.last !== undefined && places.size === size) return this.last;
    // Call next() only as often as there are names: a Map iterator that has ended yields nothing more, even if
    // entries are added.
    while (places.size < size) places.set(String(names.next().value), places.size);
    const get = (name: string): Value | undefined => ((places.get(name) ?? size) < size ? values.get(name) : undefined);
    return (this.last = new Message(
      "variables",
      get,
      (name) => get(name) !== undefined,
      () => [...places.keys()].slice(0, size),
    ));
  }
}

/** A field: its two spellings, its value (undefined if absent), and its zero value if it has one. */
interface Field<Source> {
  readonly name: string;
  readonly otherName: string;
  readonly read: (source: Source) => Value | undefined;
  readonly zero?: Value;
}

/** Returns a constructor of messages with these fields. As in protobuf, `has` is false for a field with its zero value. */
function recordsOf<Source>(typeName: string, fields: readonly Field<Source>[]): (source: Source) => Message {
  const named = new Map(fields.flatMap((field) => [field.name, field.otherName].map((name) => [name, field] as const)));
  const names = fields.map(({ name }) => name);
  return (source) =>
    new Message(
      typeName,
      (name) => {
        const field = named.get(name);
        return field === undefined ? undefined : (field.read(source) ?? field.zero);
      },
      (name) => {
        const field = named.get(name);
        if (field === undefined) return undefined;
        const value = field.read(source);
        return value !== undefined && value !== "" && !isEmpty(value);
      },
      () => names,
    );
}

// A message that was sent counts as set even if empty; an empty list or map counts as unset.
const isEmpty = (value: Value): boolean =>
  Array.isArray(value)
    ? value.length === 0
    : typeof value === "object" && value !== null && !(value instanceof Message) && Object.keys(value).length === 0;

/** A message without declared fields: a name that is not set is not a field. */
const openRecord = (typeName: string, values: ReadonlyMap<string, Value>): Message =>
  new Message(
    typeName,
    (name) => values.get(name),
    (name) => values.get(name) !== undefined,
    () => [...values.keys()],
  );

const globalsRecord = (globals: ActivationOptions["globals"]): Message =>
  new Message(
    "globals",
    (name) => (Object.hasOwn(globals, name) ? globals[name] : undefined),
    (name) => Object.hasOwn(globals, name) && globals[name] !== undefined,
    () => Object.keys(globals),
  );

const nothing: JsonObject = {};

const field = <Source>(name: string, read: (source: Source) => Value | undefined, zero?: Value, otherName = name): Field<Source> =>
  zero === undefined ? { name, otherName, read } : { name, otherName, read, zero };

/** The fields that principals and resources share. */
const fieldsOfBoth: readonly Field<Principal | Resource>[] = [
  field("id", ({ id }) => id),
  field("attr", ({ attr }) => attr, nothing),
  field("policyVersion", ({ policyVersion }) => policyVersion, "", "policy_version"),
  field("scope", ({ scope }) => scope, ""),
];

const principalRecord = recordsOf<Principal>("principal", [field("roles", ({ roles }) => roles), ...fieldsOfBoth]);

const resourceRecord = recordsOf<Resource>("resource", [field("kind", ({ kind }) => kind), ...fieldsOfBoth]);

interface Claims {
  readonly jwt: JsonObject | undefined;
  readonly jwts: JsonObject | undefined;
}

const recordOfClaims = recordsOf<Claims>("auxData", [field("jwt", ({ jwt }) => jwt, nothing), field("jwts", ({ jwts }) => jwts, nothing)]);

const auxDataRecord = ({ jwt, jwts }: AuxData): Message => recordOfClaims({ jwt, jwts: jwts && jwtRecords(jwts) });

// Token names come from the caller: Object.fromEntries defines own properties only, so none can become a prototype.
const jwtRecords = (jwts: NonNullable<AuxData["jwts"]>): JsonObject =>
  Object.fromEntries(Object.entries(jwts).map(([name, { claims }]) => [name, claimsRecord(claims)]));

const claimsRecord = recordsOf<JsonObject | undefined>("claims", [field("claims", (claims) => claims, nothing)]);

const requestRecord = recordsOf<InputRecords>("request", [
  field("principal", (records) => records.principal()),
  field("resource", (records) => records.resource()),
  field("auxData", (records) => records.auxData(), auxDataRecord({}), "aux_data"),
]);

const runtimeRecord = recordsOf<readonly string[]>("runtime", [
  field("effectiveDerivedRoles", (roles) => roles, undefined, "effective_derived_roles"),
]);
