/** Time zones by name or offset. The only file that uses Intl. */
import { daysFromDate } from "./calendar.ts";
import { evalError, type EvalError } from "./error.ts";
import { secondsOfDay } from "./timestamp.ts";
import type { Timestamp } from "./value.ts";
import { work } from "./work.ts";

// Read at load time: the sandbox removes Intl before any policy runs.
const { DateTimeFormat } = Intl;

/** A time zone, with the cached offsets at midnight UTC by day number. */
interface Zone {
  readonly format: InstanceType<typeof DateTimeFormat>;
  readonly offsets: Map<number, number>;
}

const zones = new Map<string, Zone | undefined>();
const maxZones = 256;
const maxDays = 2048;

/**
 * Returns a zone's offset in seconds east of UTC at an instant. The name is an IANA name, "" (UTC) or `[+-]H:MM`; an
 * error if unknown.
 */
export function zoneOffset(name: string, timestamp: Timestamp): number | EvalError {
  if (name === "" || name === "UTC") return 0;
  if (name.includes(":")) return fixedOffset(name);
  const zone = openZone(name);
  return zone === undefined ? unknownZone(name) : offsetIn(zone, timestamp.seconds);
}

const unknownZone = (name: string): EvalError => evalError("invalid argument", `unknown time zone ${name}`);

const offsetText = /^([+-]?)([0-9]{1,6}):([0-9]{1,6})$/;

function fixedOffset(name: string): number | EvalError {
  const match = offsetText.exec(name);
  if (match === null) return unknownZone(name);
  const [, sign, hours, minutes] = match;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}

// In the reference implementation zone names are file names, so their case matters and only IANA names exist. Intl
// ignores case and knows other names such as PST, and its canonical name reveals a wrong case only where the rest is
// equal. Hence this pattern.
const word =
  "(?:[A-Z][a-z]*|au|es|of|BajaNorte|BajaSur|ComodRivadavia|DeNoronha|DumontDUrville|EasterIsland|McMurdo|ACT|GMT|IN|LHI|NSW|UCT|UTC)";
const words = `${word}(?:[_-]${word})*`;
const regions = "Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US";
const alone =
  "CET|CST6CDT|Cuba|EET|EST|EST5EDT|Egypt|Eire|GB|GB-Eire|GMT|GMT[+-]?0|Greenwich|HST|Hongkong|Iceland|Iran|Israel|Jamaica|Japan|Kwajalein|Libya|Local|MET|MST|MST7MDT|NZ|NZ-CHAT|Navajo|PRC|PST8PDT|Poland|Portugal|ROC|ROK|Singapore|Turkey|UCT|UTC|Universal|W-SU|WET|Zulu";
const written = new RegExp(`^(?:${alone}|(?!US/Pacific-New)(?:${regions})/${words}(?:/${words})?|Etc/GMT[+-]?[0-9]{1,2})$`);

/** The longest IANA name has 32 characters. Names are cached and come from callers. */
const longestName = 64;

function openZone(name: string): Zone | undefined {
  if (name.length > longestName || !written.test(name)) return undefined;
  if (zones.has(name)) return zones.get(name);
  if (zones.size >= maxZones) zones.clear();
  const zone = makeZone(name);
  if (zone !== noRoom) zones.set(name, zone);
  return zone === noRoom ? undefined : zone;
}

/** Not cached: a stack overflow in Intl says nothing about the zone. */
const noRoom: unique symbol = Symbol("no room");

function makeZone(name: string): Zone | undefined | typeof noRoom {
  try {
    const format = new DateTimeFormat("en-US", {
      ...(name !== "Local" && { timeZone: name }),
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    const found = format.resolvedOptions().timeZone;
    return found !== name && found.toLowerCase() === name.toLowerCase() ? undefined : { format, offsets: new Map() };
  } catch (error) {
    // An unknown zone's RangeError contains its name; that of a stack overflow does not.
    return error instanceof RangeError && error.message.includes(name) ? undefined : noRoom;
  }
}

/**
 * If a UTC day starts and ends with the same offset, it has that offset throughout, because no zone changes twice a
 * day. Otherwise ask Intl about the instant itself.
 */
function offsetIn(zone: Zone, seconds: number): number {
  const day = Math.floor(seconds / secondsOfDay);
  const offset = offsetOfDay(zone, day);
  return offset === offsetOfDay(zone, day + 1) ? offset : offsetFromIntl(zone, seconds);
}

function offsetOfDay(zone: Zone, day: number): number {
  const known = zone.offsets.get(day);
  if (known !== undefined) return known;
  if (zone.offsets.size >= maxDays) zone.offsets.clear();
  const offset = offsetFromIntl(zone, day * secondsOfDay);
  zone.offsets.set(day, offset);
  return offset;
}

function offsetFromIntl({ format }: Zone, seconds: number): number {
  // Intl takes some microseconds.
  work(1000);
  const parts = new Map(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]));
  const read = (part: Intl.DateTimeFormatPartTypes): number => Number(parts.get(part));
  // 1 BC is year 0. Some versions print midnight as 24.
  const year = parts.get("era") === "BC" ? 1 - read("year") : read("year");
  const days = daysFromDate(year, read("month"), read("day"));
  return days * secondsOfDay + (read("hour") % 24) * 3600 + read("minute") * 60 + read("second") - seconds;
}
