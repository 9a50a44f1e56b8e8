/** Bodies of HTTP/1.1 in chunks. */
import type { Random } from "../agree/random.ts";

/** Writes a body in chunks of any lengths, written in any of the ways that are allowed. */
export function chunked(random: Random, text: string, trailers: readonly string[] = []): string {
  let written = "";
  for (let at = 0; at < text.length;) {
    const part = text.slice(at, at + 1 + random.whole(random.pick([3, 40, 400])));
    const size = random.pick([
      (length: number) => length.toString(16),
      (length: number) => length.toString(16).toUpperCase(),
      (length: number) => length.toString(16).padStart(8, "0"),
    ])(part.length);
    written += `${size}${random.pick(["", "", ";a=b", ';a="b;c"', ";a"])}\r\n${part}\r\n`;
    at += part.length;
  }
  return `${written}0\r\n${trailers.map((line) => `${line}\r\n`).join("")}\r\n`;
}
