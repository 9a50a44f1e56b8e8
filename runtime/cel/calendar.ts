/** Converts days since 1970-01-01 to a date of the proleptic Gregorian calendar, and back. */

interface Day {
  readonly year: number;
  /** 1..12 */
  readonly month: number;
  /** 1..31 */
  readonly day: number;
}

const daysOfFourCenturies = 146_097;
// Years start in March, so that the leap day is a year's last day. 1970-01-01 is 719,468 days after 0000-03-01.
const epoch = 719_468;

/** Returns the number of days from 1970-01-01 to a date; negative before. */
export function daysFromDate(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * daysOfFourCenturies + dayOfEra - epoch;
}

// Days of a common year before each month; index 1 is January.
const daysBefore = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const;

/** The same for the years 1 to 9999, in integer arithmetic throughout, which is faster. */
export function daysOfUsualDate(year: number, month: number, day: number): number {
  const years = year - 1;
  const leapDays = (years >> 2) - ((years / 100) | 0) + ((years / 400) | 0);
  const leapDay = month > 2 && isLeap(year) ? 1 : 0;
  return years * 365 + leapDays + (daysBefore[month] ?? 0) + leapDay + day - 719_163;
}

/** Returns the date that is `days` days after 1970-01-01. */
export function dateFromDays(days: number): Day {
  const shifted = days + epoch;
  const era = Math.floor(shifted / daysOfFourCenturies);
  const dayOfEra = shifted - era * daysOfFourCenturies;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

/** Returns the number of days in a month. */
export const daysInMonth = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
