/** Assignability and type variables. */
import { expect, test } from "vitest";
import { assign, freshVariable, instantiate, listType, mapType, openUnifier, substitute } from "../../../compiler/cel/unify.ts";
import {
  bool,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  message,
  nullType,
  opaque,
  optionalOf,
  parameter,
  printType,
  string,
  timestamp,
  typeOf,
} from "../../../runtime/cel/type.ts";
import type { Type } from "../../../runtime/cel/type.ts";

test.each<readonly [Type, Type, boolean]>([
  [int, int, true],
  [int, double, false],
  [dyn, int, true],
  [int, dyn, true],
  [listOf(int), listOf(int), true],
  [listOf(int), listOf(string), false],
  [listOf(dyn), listOf(string), true],
  [listOf(int), mapOf(int, int), false],
  [mapOf(string, dyn), mapOf(string, int), true],
  [mapOf(string, int), mapOf(int, int), false],
  [nullType, int, false],
  [nullType, listOf(int), false],
  [nullType, timestamp, true],
  [duration, nullType, true],
  [nullType, message("m"), true],
  [optionalOf(int), nullType, true],
  [typeOf(int), typeOf(string), true],
  [typeOf(int), int, false],
  [message("a"), message("b"), false],
  [opaque("a"), opaque("b"), false],
  [optionalOf(int), optionalOf(string), false],
  [timestamp, duration, false],
])("%o to %o: %s", (from, to, fits) => {
  expect(assign(openUnifier(), [from], [to])).toBe(fits);
});

test("a variable keeps the more general of what it met, and a failed attempt leaves nothing", () => {
  const unifier = openUnifier();
  const a = freshVariable(unifier);
  const known = (): string => printType(substitute(unifier, a, dyn));
  expect(known()).toBe("dyn");
  expect(assign(unifier, [listOf(int), bool], [a, string])).toBe(false);
  expect(unifier.bindings.size).toBe(0);
  expect(assign(unifier, [listOf(int)], [a])).toBe(true);
  expect(known()).toBe("list(int)");
  expect(assign(unifier, [listOf(string)], [a])).toBe(false);
  expect(known()).toBe("list(int)");
  expect(assign(unifier, [listOf(dyn)], [a])).toBe(true);
  expect(known()).toBe("list(dyn)");
});

test("a type never contains itself", () => {
  const unifier = openUnifier();
  const a = freshVariable(unifier);
  expect(assign(unifier, [a], [listOf(a)])).toBe(false);
  expect(assign(unifier, [listOf(a)], [a])).toBe(false);
  // Nor by way of another variable.
  const b = freshVariable(unifier);
  expect(assign(unifier, [b], [listOf(a)])).toBe(true);
  expect(assign(unifier, [a], [listOf(b)])).toBe(false);
});

test("each use of a declaration has variables of its own", () => {
  const unifier = openUnifier();
  const declared = [parameter("A"), listOf(parameter("A"))];
  const [first, second] = [instantiate(unifier, declared), instantiate(unifier, declared)];
  expect(assign(unifier, [int, listOf(int)], first)).toBe(true);
  expect(assign(unifier, [string, listOf(string)], second)).toBe(true);
  expect(assign(unifier, [int, listOf(string)], instantiate(unifier, declared))).toBe(false);
});

test("a type that doubles with every level stays small", () => {
  const unifier = openUnifier();
  let type: Type = freshVariable(unifier);
  for (let i = 0; i < 200; i++) type = mapType(type, type);
  expect(printType(type).length).toBeLessThan(10_000);
  const variables = Array.from({ length: 200 }, () => freshVariable(unifier));
  const tied = variables.slice(1).every((variable, i) => assign(unifier, [variables[i] ?? dyn], [listType(mapType(variable, variable))]));
  expect(tied).toBe(true);
  expect(printType(substitute(unifier, variables[0] ?? dyn, dyn)).length).toBeLessThan(10_000);
});
