/** What is alive in a server's processes: memory, descriptors, timers; asked through `look-inside.mjs`. */
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { descriptorsOf, family, memoryOf } from "./processes.ts";
import type { SubjectOptions } from "./subject.ts";

/** What one process holds, its garbage collected before. Megabytes. */
export interface Holding {
  readonly pid: number;
  readonly resident: number;
  readonly heap: number;
  /** Buffers and the like. */
  readonly external: number;
  /** By kind: timers, sockets and so on. */
  readonly resources: Readonly<Record<string, number>>;
  readonly descriptors: Readonly<Record<string, number>>;
}

/** What a server is started with, so that it can be looked into; `folder` is for socket files. */
export const lookedInto = (folder: string): SubjectOptions => ({
  environment: { AUTHZ_BENCH_INSIDE: join(folder, "inside") },
  nodeOptions: ["--expose-gc", "--import", resolve("bench/load/look-inside.mjs")],
});

interface Told {
  readonly heapUsed: number;
  readonly external: number;
  readonly resources: Readonly<Record<string, number>>;
}

/** Looks into every process of a server that can be looked into. */
export async function lookInside(pid: number, folder: string): Promise<readonly Holding[]> {
  const holdings: Holding[] = [];
  for (const each of family(pid)) {
    const path = join(folder, `inside-${each}`);
    if (!existsSync(path)) continue;
    const told: Told = JSON.parse(await text(connect(path)));
    const { resident } = memoryOf(each);
    const megabytes = (bytes: number): number => bytes / 2 ** 20;
    holdings.push({
      pid: each,
      resident,
      heap: megabytes(told.heapUsed),
      external: megabytes(told.external),
      resources: told.resources,
      descriptors: descriptorsOf(each),
    });
  }
  return holdings;
}
