/**
 * Times in filters: `2026-03-01`, `2026-03`, `2026-03-01T14:00`, `30m`, `12h`, `7d`, `2w`, `today`, `yesterday` → an
 * instant, in the caller's time zone (SPEC 3.9). Pure: the clock and the zone are passed in.
 */

const minuteMs = 60_000;
const dayMs = 86_400_000;
const unitMs = { m: minuteMs, h: 3_600_000, d: dayMs, w: 7 * dayMs } as const;

const dateForm =
  /^(\d{4})-(\d{1,2})(?:-(\d{1,2})(?:[t ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(z|[+-]\d{2}(?::?\d{2})?)?)?)?$/;

/** The instant at which the named day, minute or span begins, in epoch ms; null when the text is not a time. */
export function parseWhen(text: string, now: number, timeZone: string): number | null {
  const value = text.trim().toLowerCase();
  const span = /^(\d{1,4})\s*([mhdw])$/.exec(value);
  if (span) return now - Number(span[1]) * unitMs[span[2] as keyof typeof unitMs];
  if (value === "today" || value === "yesterday") {
    const read = clockOf(timeZone);
    const today = Math.floor(read(now) / dayMs) * dayMs;
    return firstInstant(value === "today" ? today : today - dayMs, read);
  }
  const date = dateForm.exec(value);
  if (!date) return /^\d{12,13}$/.test(value) ? Number(value) : null;
  const [, year = "", month = "", day = "1", hour = "0", minute = "0", second = "0", fraction = "", zone] = date;
  const midnight = dayOf(Number(year), Number(month), Number(day));
  const time = timeOf(Number(hour), Number(minute), Number(second));
  if (midnight === null || time === null) return null;
  const wall = midnight + time + Number(fraction.slice(0, 3).padEnd(3, "0"));
  if (zone === undefined) return firstInstant(wall, clockOf(timeZone));
  const offset = offsetOf(zone);
  return offset === null ? null : wall - offset;
}

/** Whether the runtime knows the zone (IANA name). */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    // RangeError: the answer is no.
    return false;
  }
}

/** Midnight of a date as if in UTC; null for 2026-02-30: a date that does not exist must not become another one. */
function dayOf(year: number, month: number, day: number): number | null {
  const date = new Date(utcDay(year, month, day));
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

/** `Date.UTC` would take the years 0 to 99 for 1900 to 1999. */
function utcDay(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

/** Milliseconds since midnight; 24:00 is the end of the day, as in ISO 8601. */
function timeOf(hour: number, minute: number, second: number): number | null {
  const time = ((hour * 60 + minute) * 60 + second) * 1000;
  return minute < 60 && second < 60 && time <= dayMs ? time : null;
}

/** Milliseconds ahead of UTC of `z`, `+02`, `+0530` or `-03:30`. */
function offsetOf(zone: string): number | null {
  if (zone === "z") return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(":", ""))];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * minuteMs;
}

/** What the clock on the wall shows at an instant, as if it showed UTC. */
type Clock = (instant: number) => number;

function clockOf(timeZone: string): Clock {
  const format = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
    timeZone,
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    hourCycle: "h23",
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const get = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    // The year before 1 is "1 BC".
    const year = parts.get("era")?.startsWith("B") ? 1 - get("year") : get("year");
    const seconds = (get("hour") * 60 + get("minute")) * 60 + get("second");
    return utcDay(year, get("month"), get("day")) + seconds * 1000 + (instant - Math.floor(instant / 1000) * 1000);
  };
}

/**
 * The first instant at which a clock shows `wall` or later: the earlier one where the clock is set back over it, the
 * jump where it is set forward over it (midnight itself, in some zones). No zone changes its clock twice in two days.
 */
function firstInstant(wall: number, read: Clock): number {
  // No zone was ever a whole day ahead or behind, so these lie before and after, and have the offsets there.
  const offsets = [wall - dayMs, wall + dayMs].map((instant) => read(instant) - instant);
  let before = wall - Math.max(...offsets);
  if (read(before) === wall) return before;
  let first = wall - Math.min(...offsets);
  while (first - before > 1) {
    const middle = before + Math.floor((first - before) / 2);
    if (read(middle) < wall) before = middle;
    else first = middle;
  }
  return first;
}
