/** CEL literals of a string in every way that CEL has to write one. */
import type { Random } from "../agree/random.ts";

/** How a literal is written. */
export type Style = (text: string) => string;

const escapes = new Map([
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
]);

const quoted =
  (quote: string): Style =>
  (text) => {
    const mark = quote.slice(0, 1);
    const inner = Array.from(text, (unit) => (unit === mark ? `\\${mark}` : (escapes.get(unit) ?? unit))).join("");
    return quote + inner + quote;
  };

const lines =
  (quote: string): Style =>
  (text) => {
    const mark = quote.slice(0, 1);
    const inner = Array.from(text, (unit) => (unit === mark || unit === "\\" ? `\\${unit}` : unit === "\r" ? "\\r" : unit)).join("");
    return quote + inner + quote;
  };

/** Every character as a number; half a pair has none, and stays. */
const numbered: Style = (text) => {
  const inner = Array.from(text, (character) => {
    const point = character.codePointAt(0) ?? 0;
    if (point >= 0xd800 && point <= 0xdfff) return character;
    return point > 0xffff ? `\\U${point.toString(16).padStart(8, "0")}` : `\\u${point.toString(16).padStart(4, "0")}`;
  }).join("");
  return `"${inner}"`;
};

/** No escapes at all, where the text allows it. */
const raw: Style = (text) => {
  const quote = ["'", '"', "'''", '"""'].find(
    (each) => !text.includes(each) && !text.endsWith(each.slice(0, 1)) && (each.length === 3 || !text.includes("\n")),
  );
  return quote === undefined || text.includes("\r") ? numbered(text) : `r${quote}${text}${quote}`;
};

const styles: readonly Style[] = [quoted('"'), quoted("'"), lines('"""'), lines("'''"), numbered, raw];

/** Chooses a way. */
export const pickStyle = (random: Random): Style => random.pick(styles);
/** Ways that bytes can be written in too: their escapes of characters are not those of strings. */
export const pickBytesStyle = (random: Random): Style => {
  const style = random.pick([quoted('"'), quoted("'"), lines('"""')]);
  return (text) => `b${style(text)}`;
};
