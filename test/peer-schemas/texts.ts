/** Texts that have a format, or nearly. */
import type { Random } from "../agree/random.ts";

/** Some of each format, and some that are none for a reason of their own. */
export const textsOfFormats: { readonly [format: string]: readonly string[] } = {
  date: ["2024-02-29", "2023-02-29", "0000-01-01", "2024-12-31", "2024-1-1"],
  "date-time": ["2024-01-31T10:00:00Z", "2024-01-31t10:00:00.123456789+05:30", "2024-12-31T15:59:60-08:00", "1998-12-31T23:59:61Z"],
  time: ["10:00:00Z", "23:59:60Z", "10:00:00.5-00:00", "24:00:00Z", "01:29:60+01:30", "10:00:00"],
  email: [
    "a@b.c",
    '"a b"@c.d',
    '""@c',
    "a@b.c.",
    "a@[127.0.0.1]",
    "a@[IPv6:::1]",
    "é@b.c",
    ".a@b.c",
    "a+b=c@1.2.3.4",
    "<a@b>",
    "x <a@b.c>",
  ],
  hostname: ["a.b-c.com", "-a.com", "a.", "a..b", "A_b", `${"a".repeat(63)}.b`, `${"a".repeat(64)}.b`, "1.2"],
  ipv4: ["127.0.0.1", "256.1.1.1", "1.2.3", "1.2.3.4.5", "0x7f.0.0.1"],
  ipv6: ["::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1::2::3", "fe80::1%eth0", "12345::", "1:2:3:4:5:6:1.2.3.4"],
  uri: [
    "http://x.y/z?q#f",
    "urn:a:b",
    "http://[::1]:80/",
    "http://u:p@h:80",
    "http://a%20b@h/",
    "http://a%20b/",
    "http://a@b@c/",
    "http://h:99999/",
    "http://x y",
  ],
  "uri-reference": ["/a/b", "#f", "a:b:c", "?q", "//h/p", "%", "a b", ""],
  uuid: ["550e8400-e29b-41d4-a716-446655440000", "550E8400-E29B-41D4-A716-446655440000", "550e8400e29b41d4a716446655440000"],
  "json-pointer": ["/a/b", "", "a", "/~0~1", "/~2", "#/a"],
  "relative-json-pointer": ["0", "1/a", "01", "0#", "-1", "10/~0"],
  duration: ["P1D", "PT1H", "P1Y2M3DT4H5M6S", "P", "PT", "P1W", "P1W2D", "P1D2Y", "PT1.5S"],
  regex: ["^a", "[", "(?=a)", "a{2,1}", "\\d", "(a", "\\Z", "(?<n>a)", "\\1"],
  iri: ["http://é.com/ü", "a:b", "http://a b"],
  "iri-reference": ["/é", "\\é", "a b"],
};

const characters = [..."0123456789abcdefABCDEFXxTtZzPpDMHSWY:.-+/#?%@[]{}()~\\ é_\"'<>^`|&=,;!*$", "\u{1F600}"];

/** A text of a format, with a character or two gone, other, or there besides. */
export function nearlyOf(random: Random, format: string): string {
  const text = Array.from(random.pick(textsOfFormats[format] ?? [""]));
  const times = random.pick([0, 1, 1, 2]);
  for (let time = 0; time < times; time++) {
    const at = random.whole(text.length + 1);
    const gone = random.whole(2);
    text.splice(at, gone, ...random.some(1 - gone, 1, characters));
  }
  return text.join("");
}
