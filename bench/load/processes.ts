/** Processes as Linux tells of them: processor time, memory and descriptors of one and of all that it has started. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Ticks of the clock that processor time is counted in: a hundred a second on every Linux that Node runs on. */
const millisecondsOfTick = 10;

/** The fields of /proc/PID/stat after the name; undefined when there is no such process any more. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** A process and all that descend from it, the first one first. */
export function family(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? Number(statOf(pid)?.[1]) : Number.NaN;
    if (!Number.isNaN(parent)) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const all = [root];
  for (let at = 0; at < all.length; at++) all.push(...(children.get(all[at] ?? 0) ?? []));
  return all;
}

/** Milliseconds of processor time of a process and its descendants, those that have ended included. */
export function processorTimeOf(root: number): number {
  let ticks = 0;
  for (const pid of family(root)) {
    const fields = statOf(pid) ?? [];
    for (const at of [11, 12, 13, 14]) ticks += Number(fields[at] ?? 0);
  }
  return ticks * millisecondsOfTick;
}

/** Megabytes. */
export interface Memory {
  readonly resident: number;
  /** The most that was ever resident. */
  readonly peak: number;
}

/** The memory of one process. */
export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(text)?.[1]) / 1024;
  return { resident: megabytes("VmRSS"), peak: megabytes("VmHWM") };
}

/** Descriptors of a process by what they lead to: how many files, sockets and so on. */
export function descriptorsOf(pid: number): Readonly<Record<string, number>> {
  const kinds: Record<string, number> = {};
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const [, kind = "file"] = /^(?:anon_inode:\[?)?(socket|pipe|\w+)(?=[:\]])/.exec(readlinkSync(`/proc/${pid}/fd/${name}`)) ?? [];
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    } catch {
      continue; // closed meanwhile
    }
  }
  return kinds;
}
