/** Emits names and parts of values: `R.attr.owner`, `has(R.attr.owner)`, `R.attr["owner"]`, `V.isOwner`. */
import type { Expression, Identifier, Select } from "../../runtime/cel/ast.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { type RecordName, recordsByName } from "../cel/records.ts";
import { type Code, js, quoted } from "./code.ts";
import { constantCode } from "./literal.ts";
import { isReadable } from "./forms/reader.ts";
import { pathOf } from "./forms/shared-reads.ts";
import { type Emitted, type Expressions, type Scope, type VariableUse, atom } from "./scope.ts";
import { type ValueType, anyType, boolType, join, jsonType, listType, stringType, typeOfConstant } from "./value-type.ts";

const recordsOfRequest: ReadonlyMap<string, RecordName> = new Map([
  ["principal", "principal"],
  ["resource", "resource"],
  ["auxData", "auxData"],
  ["aux_data", "auxData"],
]);

/** Fields that are read without a detour: where the query keeps them, and what they hold. They always exist. */
const fields: { readonly [record in RecordName]?: ReadonlyMap<string, readonly [Code, ValueType]> } = {
  principal: new Map<string, readonly [Code, ValueType]>([
    ["id", [js`.principal.id`, stringType]],
    ["roles", [js`.principal.roles`, listType(stringType)]],
    ["attr", [js`.P`, jsonType]],
    ["policyVersion", [js`.principalVersion`, stringType]],
    ["policy_version", [js`.principalVersion`, stringType]],
    ["scope", [js`.principalScope`, stringType]],
  ]),
  resource: new Map<string, readonly [Code, ValueType]>([
    ["kind", [js`.resource.kind`, stringType]],
    ["id", [js`.resource.id`, stringType]],
    ["attr", [js`.R`, jsonType]],
    ["policyVersion", [js`.resourceVersion`, stringType]],
    ["policy_version", [js`.resourceVersion`, stringType]],
    ["scope", [js`.resourceScope`, stringType]],
  ]),
  auxData: new Map<string, readonly [Code, ValueType]>([["jwt", [js`.jwt`, jsonType]]]),
  runtime: new Map<string, readonly [Code, ValueType]>([
    ["effectiveDerivedRoles", [js`.effectiveDerivedRoles`, listType(stringType)]],
    ["effective_derived_roles", [js`.effectiveDerivedRoles`, listType(stringType)]],
  ]),
};

/** Emits a name: a loop variable, a record taken whole, or a type. */
export function emitIdentifier(expression: Identifier, scope: Scope): Emitted {
  const known = localNamed(expression, scope) ?? scope.variables?.(expression.name);
  if (known !== undefined) return known;
  const record = recordNamed(expression, scope);
  if (record !== undefined) return { code: wholeRecord(record, scope), type: anyType, total: true };
  const type = scope.factory.hoist(`${expression.name} type`, js`rt.typeNamed(${quoted(expression.name)})`);
  return { code: js`${type}`, type: anyType, total: false };
}

const localNamed = (expression: Identifier, scope: Scope): Emitted | undefined =>
  expression.absolute === true ? undefined : scope.locals.get(expression.name);

/** Says which record an expression names, if it names one. */
function recordNamed(expression: Expression, scope: Scope): RecordName | undefined {
  if (scope.variables !== undefined) return undefined;
  if (expression.kind === "identifier") {
    return localNamed(expression, scope) === undefined ? recordsByName.get(expression.name) : undefined;
  }
  if (expression.kind !== "select" || expression.test === true || expression.optional === true) return undefined;
  return recordNamed(expression.operand, scope) === "request" ? recordsOfRequest.get(expression.field) : undefined;
}

/** A record as one value. V and C belong to the policy, so their fields are handed over. */
function wholeRecord(record: RecordName, scope: Scope): Code {
  if (record === "constants") return scope.policy.allConstants();
  if (record === "variables") return scope.policy.allVariables();
  return js`${scope.query}.record(${quoted(record)})`;
}

/** Emits the variable of an expression that stands alone: all variables are one object. */
export function emitVariableRead(name: string, type: ValueType, factory: Scope["factory"]): Emitted {
  const inPlace = factory.uses("read in place") && isReadable(name);
  const code = inPlace ? js`${factory.reader(name)}(variables)` : js`rt.get(variables, ${quoted(name)})`;
  return { code, type, total: false };
}

/** Emits `operand.field` and `has(operand.field)`. */
export function emitSelect(expression: Select, scope: Scope, { value }: Expressions): Emitted {
  const shared = scope.reads.size === 0 ? undefined : scope.reads.get(pathOf(expression, scope)?.key ?? "");
  if (shared !== undefined && expression.test !== true) return shared;
  if (expression.optional === true) {
    const operand = value(expression.operand, scope);
    return { code: js`rt.findOptional(${operand.code}, ${quoted(expression.field)})`, type: anyType, total: false };
  }
  const record = recordNamed(expression.operand, scope);
  if (record !== undefined) return fieldOfRecord(record, expression, scope, value);
  const operand = value(expression.operand, scope);
  if (expression.test === true && operand.isObject === true && shared !== undefined) {
    return { code: atom(js`${shared.code} !== undefined`), type: boolType, total: true };
  }
  if (expression.test === true) return emitHas(operand, expression.field, scope);
  return operand.type.kind === "json"
    ? emitRead(operand, expression.field, scope)
    : { code: js`rt.select(${operand.code}, ${quoted(expression.field)})`, type: anyType, total: false };
}

/** Reads a part of a value from JSON. */
function emitRead({ code }: Emitted, field: string, { factory }: Scope): Emitted {
  const read =
    factory.uses("read in place") && isReadable(field) ? js`${factory.reader(field)}(${code})` : js`rt.get(${code}, ${quoted(field)})`;
  return { code: read, type: jsonType, total: false };
}

function emitHas(operand: Emitted, field: string, { factory }: Scope): Emitted {
  if (operand.isObject === true && factory.uses("read in place") && isReadable(field)) {
    return { code: atom(js`${factory.reader(field)}(${operand.code}) !== undefined`), type: boolType, total: true };
  }
  return operand.isObject === true
    ? { code: js`rt.owns(${operand.code}, ${quoted(field)})`, type: boolType, total: true }
    : { code: js`rt.has(${operand.code}, ${quoted(field)})`, type: boolType, total: false };
}

function fieldOfRecord(record: RecordName, expression: Select, scope: Scope, value: Expressions["value"]): Emitted {
  const { field, test } = expression;
  if (record === "variables") return emitVariable(field, test === true, scope, value);
  if (record === "constants") {
    const constant = scope.policy.constants.get(field);
    if (test === true) return { code: constant === undefined ? js`false` : js`true`, type: boolType, total: true };
    return constant === undefined ? failure : emitConstant(field, constant, scope);
  }
  if (record === "globals") {
    const read = test === true ? js`rt.owns` : js`rt.get`;
    return { code: js`${read}(${scope.query}.G, ${quoted(field)})`, type: test === true ? boolType : anyType, total: test === true };
  }
  const known = test === true ? undefined : fields[record]?.get(field);
  if (known !== undefined) {
    const emitted = { code: js`${scope.query}${known[0]}`, type: known[1], total: true };
    return known[1] === jsonType ? { ...emitted, isObject: true } : emitted;
  }
  const part = test === true ? undefined : recordNamed(expression, scope);
  if (part !== undefined) return { code: wholeRecord(part, scope), type: anyType, total: true };
  const read = test === true ? js`rt.has` : js`rt.select`;
  return { code: js`${read}(${wholeRecord(record, scope)}, ${quoted(field)})`, type: test === true ? boolType : anyType, total: false };
}

const failure: Emitted = { code: js`undefined`, type: anyType, total: false };

/** A constant of the policy: in place where it is a scalar, else declared once. */
function emitConstant(name: string, constant: Value, scope: Scope): Emitted {
  const type = typeOfConstant(constant);
  const isScalar = constant === null || typeof constant !== "object";
  const code = isScalar ? constantCode(constant) : js`${scope.factory.hoist(name, constantCode(constant))}`;
  return isScalar ? { code, type, total: true, literal: constant } : { code, type, total: true };
}

function emitVariable(name: string, test: boolean, scope: Scope, value: Expressions["value"]): Emitted {
  const use = scope.policy.variable(name);
  if (use === undefined) return test ? { code: js`false`, type: boolType, total: true } : failure;
  const emitted = use.kind === "call" ? use.emitted : inPlace(use, value(use.expression, use.scope(scope)));
  if (!test) return emitted;
  return { code: emitted.total ? js`true` : atom(js`${emitted.code} !== undefined`), type: boolType, total: true };
}

/** Where a variable that fails counts as null, so it reads. */
const inPlace = (use: VariableUse, emitted: Emitted): Emitted =>
  use.failed === "unset" || emitted.total
    ? emitted
    : { code: atom(js`${emitted.code} ?? null`), type: join({ kind: "null" }, emitted.type), total: true };

/** Says whether an expression is a variable that stands in place: then the outcome can be asked of its own expression. */
export function inlinedVariable(
  expression: Expression,
  scope: Scope,
): { readonly expression: Expression; readonly scope: Scope } | undefined {
  if (expression.kind !== "select" || expression.test === true || expression.optional === true) return undefined;
  if (recordNamed(expression.operand, scope) !== "variables") return undefined;
  const use = scope.policy.variable(expression.field);
  return use?.kind === "inline" ? { expression: use.expression, scope: use.scope(scope) } : undefined;
}

/** Emits `operand[key]` where the key is literal text, or undefined where that is no plain read. */
export function emitIndexByName(operand: Emitted, key: Expression, scope: Scope): Emitted | undefined {
  if (operand.type.kind !== "json" || key.kind !== "literal" || typeof key.value !== "string") return undefined;
  return emitRead(operand, key.value, scope);
}
