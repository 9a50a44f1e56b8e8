/** Attributes without escapes are written as JSON.stringify writes them. */
import { describe, expect, it, test } from "vitest";
import type { Json } from "../../../runtime/wire/json.ts";
import type { JsonObject } from "../../../runtime/cel/value.ts";
import { plainObjectWriter } from "../../../runtime/wire/plain-object.ts";
import { openRandom } from "../../agree/random.ts";

const write = plainObjectWriter();
const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at % 3 === 0 ? at : `v${at}`]));

describe("one object", () => {
  test.each<[what: string, text: string]>([
    ["nothing", "{}"],
    ["a text", '{"a":"b"}'],
    ["texts", '{"a":"b","c":"","d":"x y"}'],
    ["a number", '{"a":1}'],
    ["a number between texts", '{"a":"b","c":1.5,"d":"e"}'],
    ["texts between others", '{"a":true,"b":"c","d":null,"e":"f","g":false}'],
    ["numbers that have many forms", '{"a":1e21,"b":-0.0,"c":10e2,"d":1E-7,"e":9007199254740993}'],
    ["lists and objects", '{"a":["b",1,{"c":null}],"d":{"e":"f"},"g":"h"}'],
    ["whole numbers as names, which come first", '{"b":"c","2":"d","1":"e"}'],
    ["names of built-in things", '{"constructor":"a","__proto__":"b","toJSON":"c","toString":1}'],
    ["an empty name", '{"":"a"}'],
    ["what is no ASCII", '{"größe":"schön","🙂":"🙃"}'],
    ["a name that is not remembered", JSON.stringify({ a: "b", ["n".repeat(65)]: "c", d: 1 })],
    ["more attributes than are put together one by one", JSON.stringify(many)],
  ])("%s", (_what, text) => {
    const value: JsonObject = JSON.parse(text);
    // Twice, and after whatever was written before: what is remembered of the last object must not show.
    for (const writing of [write, write, plainObjectWriter()]) expect(writing(value)).toBe(JSON.stringify(value));
  });
});

it("any object", () => {
  const random = openRandom(7);
  const names = ["a", "team", "1", "owner", "x y", "größe", "constructor"];
  const valueAt = (depth: number): Json =>
    random.weigh<Json>([
      [6, () => random.pick(["", "ann", "a b", "schön", "1"])],
      [2, () => random.pick([0, 1, -1, 0.5, 1e300, -0])],
      [1, () => random.pick([true, false, null])],
      [depth, () => random.several(0, 3, () => valueAt(depth - 1))],
      [depth, () => objectAt(depth - 1)],
    ]);
  const objectAt = (depth: number): { readonly [name: string]: Json } =>
    Object.fromEntries(random.some(0, names.length, names).map((name) => [name, valueAt(depth)]));
  for (let count = 0; count < 2000; count++) {
    const object = objectAt(2) as JsonObject; // as JSON.parse would say
    expect(write(object)).toBe(JSON.stringify(object));
  }
});
