/** Emits names and access to parts of values: `R.attr.owner`, `has(R.attr.owner)`, `R.attr["owner"]`, `V.isOwner`. */
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

/** Fields that the query holds directly: the code to read each, and its type. They always exist. */
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

/** Emits a name: a macro variable, a message as a whole value, or a type. */
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

/** The message that an expression refers to, if it refers to one. */
function recordNamed(expression: Expression, scope: Scope): RecordName | undefined {
  if (scope.variables !== undefined) return undefined;
  if (expression.kind === "identifier") {
    return localNamed(expression, scope) === undefined ? recordsByName.get(expression.name) : undefined;
  }
  if (expression.kind !== "select" || expression.test === true || expression.optional === true) return undefined;
  return recordNamed(expression.operand, scope) === "request" ? recordsOfRequest.get(expression.field) : undefined;
}

/** A message as a whole value. V and C belong to the policy, so they are built from their fields. */
function wholeRecord(record: RecordName, scope: Scope): Code {
  if (record === "constants") return scope.policy.allConstants();
  if (record === "variables") return scope.policy.allVariables();
  return js`${scope.query}.record(${quoted(record)})`;
}

/** Emits a variable of a standalone expression, whose variables are the properties of one object. */
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

/** Reads a part of a JSON value. */
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

/** A constant of the policy: inlined if it is a scalar, otherwise declared once. */
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

/** Applies the rule that a failed variable counts as null, where it holds. */
const inPlace = (use: VariableUse, emitted: Emitted): Emitted =>
  use.failed === "unset" || emitted.total
    ? emitted
    : { code: atom(js`${emitted.code} ?? null`), type: join({ kind: "null" }, emitted.type), total: true };

/**
 * Returns the expression of a variable that is inlined, so that an outcome can be pushed down into it; undefined for
 * anything else.
 */
export function inlinedVariable(
  expression: Expression,
  scope: Scope,
): { readonly expression: Expression; readonly scope: Scope } | undefined {
  if (expression.kind !== "select" || expression.test === true || expression.optional === true) return undefined;
  if (recordNamed(expression.operand, scope) !== "variables") return undefined;
  const use = scope.policy.variable(expression.field);
  return use?.kind === "inline" ? { expression: use.expression, scope: use.scope(scope) } : undefined;
}

/** Emits `operand[key]` for a literal string key on JSON; undefined if it is not such a read. */
export function emitIndexByName(operand: Emitted, key: Expression, scope: Scope): Emitted | undefined {
  if (operand.type.kind !== "json" || key.kind !== "literal" || typeof key.value !== "string") return undefined;
  return emitRead(operand, key.value, scope);
}
