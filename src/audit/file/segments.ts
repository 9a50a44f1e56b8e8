/** The closed segments of a file: their names, which of them are certainly ours, and which must be removed. */
import { open, lstat, readdir, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { codeOf } from "../../refusal.ts";
import type { SinkConfig } from "../sink-options.ts";
import { lineStart } from "./lines.ts";

/** When a segment is closed, and how long closed ones are kept; Infinity: no limit. */
export interface SegmentRules {
  readonly maxBytes: number;
  readonly closeAfterMilliseconds: number;
  readonly keepMilliseconds: number;
  readonly keepCount: number;
}

const day = 86_400_000;
const orNoLimit = (limit: number): number => (limit > 0 ? limit : Number.POSITIVE_INFINITY);

/** Reads the rules. If old segments are removed by age, a segment is also closed after some time, even if it never becomes large (D16). */
export function segmentRules(config: SinkConfig): SegmentRules {
  const keepMilliseconds = Math.min(
    orNoLimit(config["audit.file.retentionPeriod"]),
    orNoLimit(config["audit.file.logRotation.maxFileAgeDays"] * day),
  );
  return {
    maxBytes: orNoLimit(config["audit.file.logRotation.maxFileSizeMB"] * 2 ** 20),
    closeAfterMilliseconds: Number.isFinite(keepMilliseconds) ? Math.min(day, keepMilliseconds / 7) : Number.POSITIVE_INFINITY,
    keepMilliseconds,
    keepCount: orNoLimit(config["audit.file.logRotation.maxFileCount"]),
  };
}

/**
 * Returns the name of a segment of `audit.log` that is closed at an instant, `audit-2026-11-20T08-03-09.495Z.log`, with a number if
 * that is taken.
 */
export function segmentPath(path: string, at: number, attempt: number): string {
  const extension = extname(path);
  const stamp = new Date(at).toISOString().replaceAll(":", "-");
  return join(dirname(path), `${basename(path, extension)}-${stamp}${attempt === 0 ? "" : `.${attempt}`}${extension}`);
}

interface Segment {
  readonly path: string;
  readonly closedAt: number;
  readonly attempt: number;
}

const stampForm = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)(?:\.(\d+))?$/;

/** Parses a file name as a segment's; undefined when it is none. */
function segmentNamed(path: string, name: string): Segment | undefined {
  const extension = extname(path);
  const prefix = `${basename(path, extension)}-`;
  if (!name.startsWith(prefix) || !name.endsWith(extension)) return undefined;
  const [, hour, minute, second, attempt] = stampForm.exec(name.slice(prefix.length, name.length - extension.length)) ?? [];
  const closedAt = Date.parse(`${hour}:${minute}:${second}`);
  return Number.isNaN(closedAt) ? undefined : { path: join(dirname(path), name), closedAt, attempt: Number(attempt ?? 0) };
}

/**
 * Removes the segments that exceed the rules, including those of earlier runs; never the current file. If one cannot be removed, rejects
 * with the reason after all others.
 */
export async function removeSegments(path: string, rules: SegmentRules, now: number): Promise<void> {
  if (!Number.isFinite(rules.keepMilliseconds) && !Number.isFinite(rules.keepCount)) return;
  const names = await readdir(dirname(path));
  const segments = names
    .map((name) => segmentNamed(path, name))
    .filter((segment) => segment !== undefined)
    .toSorted((one, other) => other.closedAt - one.closedAt || other.attempt - one.attempt);
  let trouble: unknown;
  for (const [index, { path: segment, closedAt }] of segments.entries()) {
    const isOld = now - closedAt > rules.keepMilliseconds;
    if (isOld || index >= rules.keepCount) await removeIfOurs(segment).catch((error: unknown) => void (trouble ??= error));
  }
  if (trouble !== undefined) throw trouble;
}

async function removeIfOurs(segment: string): Promise<void> {
  try {
    if (await isSegmentOfOurs(segment)) await rm(segment, { force: true });
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error; // somebody else has removed it
  }
}

/** Returns whether a file is certainly ours, by its first line: its name alone could be a coincidence. */
async function isSegmentOfOurs(path: string): Promise<boolean> {
  if (!(await lstat(path)).isFile()) return false;
  return (await readStart(path, lineStart.length)) === lineStart;
}

/** Returns the beginning of a file as a string. */
export async function readStart(path: string, length: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
