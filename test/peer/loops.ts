/** Comprehensions: every macro, over lists and maps, with one variable and with two. */
import type { Random } from "../agree/random.ts";
import { bool, double, duration, dyn, int, listOf, mapOf, string, timestamp, uint, bytes, type Type } from "../../runtime/cel/type.ts";
import { anyType, localName, type Local, type Writer } from "./grammar.ts";

/** Writes a loop that yields the type; with none, any loop. */
export function writeLoop(writer: Writer, type: Type | undefined): string {
  const { random } = writer;
  const kind = type?.kind ?? random.pick(["bool", "list", "map", "bool", "list"]);
  if (kind === "bool") return quantified(writer, random.pick(["all", "exists", "exists_one", "existsOne"]));
  if (kind === "list")
    return listed(
      writer,
      type?.kind === "list" ? type.element : anyType(random),
      random.pick(["map", "map", "filter", "transformList", "sortBy"]),
    );
  return mapped(writer, type?.kind === "map" ? type.value : anyType(random), random.pick(["transformMap", "transformMapEntry"]));
}

interface Range {
  readonly text: string;
  /** Types of the variables, with one and with two. */
  readonly one: Type;
  readonly two: readonly [Type, Type];
}

function listRange({ part }: Writer, element: Type): Range {
  return { text: part(listOf(element)), one: element, two: [int, element] };
}

function anyRange(writer: Writer): Range {
  const { random, part } = writer;
  const of = anyType(random, 0);
  return random.weigh<Range>([
    [6, () => listRange(writer, of)],
    [
      3,
      () => {
        const key = random.pick([string, string, int, bool, uint]);
        return { text: part(mapOf(key, of)), one: key, two: [key, of] };
      },
    ],
    [3, () => ({ text: part(dyn), one: dyn, two: [dyn, dyn] })],
  ]);
}

function variables(random: Random, types: readonly Type[]): readonly Local[] {
  const names = new Set<string>();
  return types.map((type) => {
    let name = localName(random);
    while (names.has(name)) name = `${name}_`;
    names.add(name);
    return { name, type };
  });
}

const named = (locals: readonly Local[]): string => locals.map(({ name }) => name).join(", ");

function quantified(writer: Writer, macro: string): string {
  const { random, whole } = writer;
  const range = anyRange(writer);
  const locals = variables(random, macro === "existsOne" ? range.two : random.chance(0.35) ? range.two : [range.one]);
  return `${range.text}.${macro}(${named(locals)}, ${whole(bool, locals)})`;
}

const sortable = [int, uint, double, bool, string, bytes, timestamp, duration];

function listed(writer: Writer, element: Type, macro: string): string {
  const { random, whole } = writer;
  if (macro === "filter" || macro === "sortBy") {
    const range = listRange(writer, element);
    const locals = variables(random, [range.one]);
    return `${range.text}.${macro}(${named(locals)}, ${whole(macro === "filter" ? bool : random.pick(sortable), locals)})`;
  }
  const range = anyRange(writer);
  const locals = variables(random, macro === "map" ? [range.one] : range.two);
  const filter = random.chance(0.35) ? `${whole(bool, locals)}, ` : "";
  return `${range.text}.${macro}(${named(locals)}, ${filter}${whole(element, locals)})`;
}

function mapped(writer: Writer, value: Type, macro: string): string {
  const { random, whole } = writer;
  const range = anyRange(writer);
  const locals = variables(random, range.two);
  const filter = random.chance(0.35) ? `${whole(bool, locals)}, ` : "";
  if (macro === "transformMap") return `${range.text}.transformMap(${named(locals)}, ${filter}${whole(value, locals)})`;
  const key = random.pick([string, int, uint, bool, dyn, range.two[0]]);
  return `${range.text}.transformMapEntry(${named(locals)}, ${filter}{${whole(key, locals)}: ${whole(value, locals)}})`;
}
