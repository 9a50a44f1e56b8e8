/** The formats of strings, each checked in linear time, without backtracking patterns. */
import { EvalError } from "../../runtime/cel/error.ts";
import { matchesPattern } from "../../runtime/cel/regex.ts";

/** Returns whether a string has a format. */
export type Format = (text: string) => boolean;

const digits = (text: string): boolean => /^\d+$/.test(text);

const daysIn = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function date(text: string): boolean {
  if (text.length !== 10) return false;
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined) return false;
  const leap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = (daysIn[Number(month) - 1] ?? 0) + (Number(month) === 2 && leap ? 1 : 0);
  return Number(day) >= 1 && Number(day) <= days;
}

/** A time; a leap second must be the last second of a UTC day. */
function time(text: string): boolean {
  const [, hour, minute, second, zone] = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  if (zone === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return false;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [undefined, "+", "0", "0"];
  if (Number(hours) > 23 || Number(minutes) > 59) return false;
  if (Number(second) < 60) return true;
  const offset = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return (Number(hour) * 60 + Number(minute) - offset + 2880) % 1440 === 1439;
}

const dateTime: Format = (text) => /^[Tt]$/.test(text.charAt(10)) && date(text.slice(0, 10)) && time(text.slice(11));

/** A duration: `P3Y6M4DT12H30M5S` or `P4W`, with integers, and units in order without gaps. */
function duration(text: string): boolean {
  if (text.length > 100) return false; // finding units takes quadratic time
  const [, days, times] = /^P([\dYMWD]*)(?:T([\dHMS]+))?$/.exec(text) ?? [];
  if (days === undefined || (days === "" && times === undefined)) return false;
  if (/^\d+W$/.test(days)) return times === undefined;
  return units(days, "YMD") && (times === undefined || units(times, "HMS"));
}

/** A period: two instants, an instant and a duration, or a duration and an instant (RFC 3339, appendix A). */
function period(text: string): boolean {
  const slash = text.indexOf("/");
  const [start, end] = [text.slice(0, Math.max(0, slash)), text.slice(slash + 1)];
  if (start.startsWith("P")) return duration(start) && dateTime(end);
  return dateTime(start) && (end.startsWith("P") ? duration(end) : dateTime(end));
}

function units(text: string, order: string): boolean {
  const found = text.match(/\d+[A-Z]/g) ?? [];
  return found.join("") === text && order.includes(found.map((part) => part.at(-1)).join(""));
}

function hostname(text: string): boolean {
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  if (name.length === 0 || name.length > 253) return false;
  return name.split(".").every((label) => label.length <= 63 && /^[A-Za-z0-9]/.test(label) && /^[A-Za-z0-9-]*[A-Za-z0-9]$/.test(label));
}

function ipv4(text: string): boolean {
  const parts = text.length > 15 ? [] : text.split(".");
  return parts.length === 4 && parts.every((part) => digits(part) && String(Number(part)) === part && Number(part) <= 255);
}

function ipv6(text: string): boolean {
  if (text.length > 45 || !/^[0-9A-Fa-f:.]*$/.test(text)) return false;
  const halves = text.split("::");
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const all = groups.flat();
  const last = all.at(-1);
  const dotted = last !== undefined && last.includes(".") && halves.at(-1) !== "";
  const plain = dotted ? all.slice(0, -1) : all;
  if (dotted && !ipv4(last)) return false;
  const length = plain.length + (dotted ? 2 : 0);
  const complete = halves.length === 1 ? length === 8 : halves.length === 2 && length < 8;
  return complete && plain.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group));
}

/** An email address. The local part may be quoted; the domain is a host name without a trailing dot, or an address in brackets. */
function email(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (text.length > 254 || local === "" || local.length > 64) return false;
  const named = /^\[[^\]]*\]$/.test(domain) ? address(domain.slice(1, -1)) : hostname(domain) && !domain.endsWith(".");
  return named && (/^"(?:[^"\\\r\n]|\\[^\r\n])+"$/.test(local) || local.split(".").every((atom) => /^[^\s"(),.:;<>@[\\\]]+$/.test(atom)));
}

const address = (text: string): boolean => (text.startsWith("IPv6:") ? ipv6(text.slice(5)) : ipv4(text));

/** A URI reference by RFC 3986, with the additional characters of IRIs, except in the user information. */
function uriReference(text: string): boolean {
  if (/[\u0000-\u001F\u007F\\]/.test(text)) return false;
  const [, scheme, rest = ""] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([^]*)$/.exec(text) ?? [];
  const [beforeFragment = "", ...fragment] = rest.split("#");
  const [hierarchy = ""] = beforeFragment.split("?", 1);
  if (!escapes(hierarchy) || !escapes(fragment.join("#"))) return false;
  if (hierarchy.startsWith("//")) return authority(hierarchy.slice(2).split("/", 1)[0] ?? "");
  return scheme !== undefined || !(hierarchy.split("/", 1)[0] ?? "").includes(":");
}

const uri: Format = (text) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && uriReference(text);

/** Returns whether every `%` is followed by two hexadecimal digits. */
const escapes = (text: string): boolean =>
  text
    .split("%")
    .slice(1)
    .every((part) => /^[0-9A-Fa-f]{2}/.test(part));

function authority(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (!/^[\w.~!$&'()*+,;=:%@-]*$/.test(text.slice(0, Math.max(0, at)))) return false;
  const host = text.slice(at + 1);
  const [, literal, port] = /^\[([^\]]*)\](?::(\d*))?$/.exec(host) ?? [];
  if (literal !== undefined) return ipv6(literal) && (port === undefined || Number(port || 0) <= 65535);
  const colon = host.indexOf(":");
  const name = colon === -1 ? host : host.slice(0, colon);
  // A host may percent-encode non-ASCII characters and the percent sign.
  return !/[\s^`{|}[\]]|%(?!25)[0-7]/.test(name) && (colon === -1 || /^\d*$/.test(host.slice(colon + 1)));
}

/** A URI template: every opening brace is closed before the next one opens. */
function uriTemplate(text: string): boolean {
  const parts = text.split("{");
  return (
    !(parts[0] ?? "").includes("}") &&
    parts.slice(1).every((part) => /^[^{}]+\}[^}]*$/.test(part)) &&
    uriReference(text.replaceAll(/[{}]/g, ""))
  );
}

const pointer: Format = (text) => text === "" || (text.startsWith("/") && !/~(?![01])/.test(text));

function relativePointer(text: string): boolean {
  const number = /^(?:0|[1-9]\d*)/.exec(text)?.[0];
  return number !== undefined && (text === `${number}#` || pointer(text.slice(number.length)));
}

const uuid: Format = (text) => text.length === 36 && /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/.test(text);

/** Patterns are RE2's, as in policies. */
const regex: Format = (text) => !(matchesPattern("", text) instanceof EvalError);

/** The formats by name; other names are not checked. */
export const formats: { readonly [name: string]: Format } = {
  date,
  "date-time": dateTime,
  duration,
  email,
  hostname,
  "ip-address": ipv4,
  ipv4,
  ipv6,
  iri: uri,
  "iri-reference": uriReference,
  "json-pointer": pointer,
  period,
  regex,
  "relative-json-pointer": relativePointer,
  time,
  uri,
  "uri-reference": uriReference,
  "uri-template": uriTemplate,
  uriref: uriReference,
  uuid,
};
