/** Emits names and access to parts of values: `R.attr.owner`, `has(R.attr.owner)`, `R.attr["owner"]`, `V.isOwner`. */
import type { Expression, Identifier, Select } from "../../runtime/cel/ast.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { type RecordName, recordsByName } from "../cel/records.ts";
import { type Code, js, quoted } from "./code.ts";
import { constantCode } from "./literal.ts";
import { isReadable } from "./forms/attribute-reader.ts";
import { pathOf } from "./forms/shared-reads.ts";
import { type Emitted, type ExpressionEmitter, type EmitContext, type VariableUse, atom } from "./context.ts";
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
export function emitIdentifier(expression: Identifier, context: EmitContext): Emitted {
  const known = localNamed(expression, context) ?? context.variables?.(expression.name);
  if (known !== undefined) return known;
  const record = recordNamed(expression, context);
  if (record !== undefined) return { code: wholeRecord(record, context), type: anyType, cannotFail: true };
  const type = context.factory.hoist(`${expression.name} type`, js`rt.typeNamed(${quoted(expression.name)})`);
  return { code: js`${type}`, type: anyType, cannotFail: false };
}

const localNamed = (expression: Identifier, context: EmitContext): Emitted | undefined =>
  expression.absolute === true ? undefined : context.locals.get(expression.name);

/** The message that an expression refers to, if it refers to one. */
function recordNamed(expression: Expression, context: EmitContext): RecordName | undefined {
  if (context.variables !== undefined) return undefined;
  if (expression.kind === "identifier") {
    return localNamed(expression, context) === undefined ? recordsByName.get(expression.name) : undefined;
  }
  if (expression.kind !== "select" || expression.test === true || expression.optional === true) return undefined;
  return recordNamed(expression.operand, context) === "request" ? recordsOfRequest.get(expression.field) : undefined;
}

/** A message as a whole value. V and C belong to the policy, so they are built from their fields. */
function wholeRecord(record: RecordName, context: EmitContext): Code {
  if (record === "constants") return context.definitions.allConstants();
  if (record === "variables") return context.definitions.allVariables();
  return js`${context.query}.record(${quoted(record)})`;
}

/** Emits a variable of a standalone expression, whose variables are the properties of one object. */
export function emitVariableRead(name: string, type: ValueType, factory: EmitContext["factory"]): Emitted {
  const inPlace = factory.uses("read in place") && isReadable(name);
  const code = inPlace ? js`${factory.reader(name)}(variables)` : js`rt.get(variables, ${quoted(name)})`;
  return { code, type, cannotFail: false };
}

/** Emits `operand.field` and `has(operand.field)`. */
export function emitSelect(expression: Select, context: EmitContext, { value }: ExpressionEmitter): Emitted {
  const shared = context.reads.size === 0 ? undefined : context.reads.get(pathOf(expression, context)?.key ?? "");
  if (shared !== undefined && expression.test !== true) return shared;
  if (expression.optional === true) {
    const operand = value(expression.operand, context);
    return { code: js`rt.findOptional(${operand.code}, ${quoted(expression.field)})`, type: anyType, cannotFail: false };
  }
  const record = recordNamed(expression.operand, context);
  if (record !== undefined) return fieldOfRecord(record, expression, context, value);
  const operand = value(expression.operand, context);
  if (expression.test === true && operand.isObject === true && shared !== undefined) {
    return { code: atom(js`${shared.code} !== undefined`), type: boolType, cannotFail: true };
  }
  if (expression.test === true) return emitHas(operand, expression.field, context);
  return operand.type.kind === "json"
    ? emitRead(operand, expression.field, context)
    : { code: js`rt.select(${operand.code}, ${quoted(expression.field)})`, type: anyType, cannotFail: false };
}

/** Reads a part of a JSON value. */
function emitRead({ code }: Emitted, field: string, { factory }: EmitContext): Emitted {
  const read =
    factory.uses("read in place") && isReadable(field) ? js`${factory.reader(field)}(${code})` : js`rt.get(${code}, ${quoted(field)})`;
  return { code: read, type: jsonType, cannotFail: false };
}

function emitHas(operand: Emitted, field: string, { factory }: EmitContext): Emitted {
  if (operand.isObject === true && factory.uses("read in place") && isReadable(field)) {
    return { code: atom(js`${factory.reader(field)}(${operand.code}) !== undefined`), type: boolType, cannotFail: true };
  }
  return operand.isObject === true
    ? { code: js`rt.owns(${operand.code}, ${quoted(field)})`, type: boolType, cannotFail: true }
    : { code: js`rt.has(${operand.code}, ${quoted(field)})`, type: boolType, cannotFail: false };
}

function fieldOfRecord(record: RecordName, expression: Select, context: EmitContext, value: ExpressionEmitter["value"]): Emitted {
  const { field, test } = expression;
  if (record === "variables") return emitVariable(field, test === true, context, value);
  if (record === "constants") {
    const constant = context.definitions.constants.get(field);
    if (test === true) return { code: constant === undefined ? js`false` : js`true`, type: boolType, cannotFail: true };
    return constant === undefined ? failure : emitConstant(field, constant, context);
  }
  if (record === "globals") {
    const read = test === true ? js`rt.owns` : js`rt.get`;
    return { code: js`${read}(${context.query}.G, ${quoted(field)})`, type: test === true ? boolType : anyType, cannotFail: test === true };
  }
  const known = test === true ? undefined : fields[record]?.get(field);
  if (known !== undefined) {
    const emitted = { code: js`${context.query}${known[0]}`, type: known[1], cannotFail: true };
    return known[1] === jsonType ? { ...emitted, isObject: true } : emitted;
  }
  const part = test === true ? undefined : recordNamed(expression, context);
  if (part !== undefined) return { code: wholeRecord(part, context), type: anyType, cannotFail: true };
  const read = test === true ? js`rt.has` : js`rt.select`;
  return {
    code: js`${read}(${wholeRecord(record, context)}, ${quoted(field)})`,
    type: test === true ? boolType : anyType,
    cannotFail: false,
  };
}

const failure: Emitted = { code: js`undefined`, type: anyType, cannotFail: false };

/** A constant of the policy: inlined if it is a scalar, otherwise declared once. */
function emitConstant(name: string, constant: Value, context: EmitContext): Emitted {
  const type = typeOfConstant(constant);
  const isScalar = constant === null || typeof constant !== "object";
  const code = isScalar ? constantCode(constant) : js`${context.factory.hoist(name, constantCode(constant))}`;
  return isScalar ? { code, type, cannotFail: true, literal: constant } : { code, type, cannotFail: true };
}

function emitVariable(name: string, test: boolean, context: EmitContext, value: ExpressionEmitter["value"]): Emitted {
  const use = context.definitions.variable(name);
  if (use === undefined) return test ? { code: js`false`, type: boolType, cannotFail: true } : failure;
  const emitted = use.kind === "call" ? use.emitted : inPlace(use, value(use.expression, use.contextAt(context)));
  if (!test) return emitted;
  return { code: emitted.cannotFail ? js`true` : atom(js`${emitted.code} !== undefined`), type: boolType, cannotFail: true };
}

/** Applies the rule that a failed variable counts as null, where it holds. */
const inPlace = (use: VariableUse, emitted: Emitted): Emitted =>
  use.failed === "unset" || emitted.cannotFail
    ? emitted
    : { code: atom(js`${emitted.code} ?? null`), type: join({ kind: "null" }, emitted.type), cannotFail: true };

/**
 * Returns the expression of a variable that is inlined, so that an outcome can be pushed down into it; undefined for
 * anything else.
 */
export function inlinedVariable(
  expression: Expression,
  context: EmitContext,
): { readonly expression: Expression; readonly context: EmitContext } | undefined {
  if (expression.kind !== "select" || expression.test === true || expression.optional === true) return undefined;
  if (recordNamed(expression.operand, context) !== "variables") return undefined;
  const use = context.definitions.variable(expression.field);
  return use?.kind === "inline" ? { expression: use.expression, context: use.contextAt(context) } : undefined;
}

/** Emits `operand[key]` for a literal string key on JSON; undefined if it is not such a read. */
export function emitIndexByName(operand: Emitted, key: Expression, context: EmitContext): Emitted | undefined {
  if (operand.type.kind !== "json" || key.kind !== "literal" || typeof key.value !== "string") return undefined;
  return emitRead(operand, key.value, context);
}
