/** Prints constants as Go does: `strconv.Quote`, and `%v` of a float. */

const letters: ReadonlyMap<number, string> = new Map([
  [7, "\\a"],
  [8, "\\b"],
  [9, "\\t"],
  [10, "\\n"],
  [11, "\\v"],
  [12, "\\f"],
  [13, "\\r"],
  [34, '\\"'],
  [92, "\\\\"],
]);
const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
const digits = (value: number, width: number): string => value.toString(16).padStart(width, "0");

function quoteCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const letter = letters.get(point);
  if (letter !== undefined) return letter;
  if (printable.test(character)) return character;
  return point < 0x80 ? `\\x${digits(point, 2)}` : point < 0x10000 ? `\\u${digits(point, 4)}` : `\\U${digits(point, 8)}`;
}

const quotePlain = (text: string): string => [...text].map(quoteCharacter).join("");

/** Returns a string in double quotes, as Go quotes it. */
export const quoteString = (text: string): string => `"${quotePlain(text)}"`;

/** Returns bytes in double quotes: what is UTF-8 as text, other octets escaped. */
export function quoteBytes(octets: Uint8Array): string {
  let text = "";
  for (let at = 0; at < octets.length;) {
    const character = decodeAt(octets, at);
    text += character === undefined ? `\\x${digits(octets[at] ?? 0, 2)}` : quotePlain(character.text);
    at += character?.length ?? 1;
  }
  return `b"${text}"`;
}

/** Reads the character that starts at an octet, or undefined where none does. */
function decodeAt(octets: Uint8Array, at: number): { readonly text: string; readonly length: number } | undefined {
  const lead = octets[at] ?? 0;
  const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead >= 0x80 && (lead < 0xc2 || lead > 0xf4)) return undefined;
  let point = length === 1 ? lead : lead & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) {
    const octet = octets[at + i];
    if (octet === undefined || (octet & 0xc0) !== 0x80) return undefined;
    point = (point << 6) | (octet & 0x3f);
  }
  const smallest = [0, 0, 0x80, 0x800, 0x10000][length] ?? 0;
  if (point < smallest || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
  return { text: String.fromCodePoint(point), length };
}

/** Returns a double as `%v` prints it: an exponent below 1e-4 and from 1e+06 on, of two digits at least. */
export function printGoDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 21 && (power < 6 || Math.abs(value) < 1e6)) return String(value);
  const magnitude = String(Math.abs(power)).padStart(2, "0");
  return `${mantissa}e${power < 0 ? "-" : "+"}${magnitude}`;
}
