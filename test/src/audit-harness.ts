/** What the tests of the audit log share: folders, logs that are read back, calls, and lines. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { AuditConfig } from "../../src/audit/audit-log.ts";
import { openLineQueue } from "../../src/audit/file/line-queue.ts";
import type { RecordedKind } from "../../src/audit/entry.ts";
import type { Entry, Sink } from "../../src/audit/sink.ts";
import { openSink } from "../../src/audit/sinks.ts";
import { loadConfig } from "../../src/config/load.ts";
import { logTo, type Log } from "../../src/observe/log.ts";
import type { BegunCall } from "../../src/observe/events.ts";
import type { UnaryMethod } from "../../src/server/calls/call.ts";
import { ulid } from "../../src/ulid.ts";
import { eventually } from "../server/harness.ts";

/** A folder that goes when the test ends. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "authz-audit-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Does some work without the rights of root, which may read everything. */
export async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

/** The configuration with these settings, as after `--set`. */
export function configWith(settings: { readonly [key: string]: string | number | boolean }): AuditConfig {
  const { config, problems } = loadConfig(
    undefined,
    Object.entries(settings).map(([key, value]) => `${key}=${String(value)}`),
    {},
  );
  if (config === undefined) throw new Error(JSON.stringify(problems));
  return config;
}

/** A log and what it said; and every failure that was told. */
export interface RecordedLog {
  readonly log: Log;
  readonly messages: () => readonly string[];
  readonly failures: RecordedKind[];
  readonly failed: (kind: RecordedKind) => void;
}

export function recordLog(): RecordedLog {
  const lines: string[] = [];
  const failures: RecordedKind[] = [];
  return {
    log: logTo({ write: (line) => void lines.push(line) }, "debug"),
    messages: () => lines.map((line) => JSON.parse(line).message),
    failures,
    failed: (kind) => void failures.push(kind),
  };
}

/** An entry of an instant; its text is as long as it is told to be. */
export function entryAt(at: number, kind: RecordedKind = "decision", padding = 0): Entry {
  const callId = ulid(at);
  return {
    kind,
    callId,
    head: `"callId":"${callId}","timestamp":"${new Date(at).toISOString()}",`,
    rest: `"peer":{"address":"${"x".repeat(padding)}"}}`,
  };
}

/** A sink that writes to a pipe, whose reader comes late; the sink is opened as soon as there is one. */
export async function openSlowPipe(heard: RecordedLog): Promise<SlowPipe> {
  const path = join(folder(), "pipe");
  execFileSync("mkfifo", [path]);
  const reader = spawn("sh", ["-c", `(sleep 0.3; exec cat) < "${path}"`], { stdio: ["ignore", "pipe", "inherit"] });
  let read = "";
  reader.stdout.setEncoding("utf8").on("data", (text: string) => void (read += text));
  const ended = once(reader, "close");
  // The reader must be there before the writer.
  const sink = await eventually(
    () => openSink(configWith({ "audit.file.path": path }), heard).catch(() => undefined),
    (opened) => opened !== undefined,
  );
  if (sink === undefined) throw new Error("the pipe was never read");
  return { sink, read: () => read, ended };
}

/** What was read so far, and all of it once the sink is closed. */
export interface SlowPipe {
  readonly sink: Sink;
  readonly read: () => string;
  readonly ended: Promise<unknown>;
}

/** Entries as lines of bytes. */
export function linesOf(entries: readonly Entry[]): Buffer {
  const blocks: Buffer[] = [];
  const queue = openLineQueue([]);
  entries.forEach(queue.push);
  while (queue.length() > 0) {
    const block = queue.take();
    blocks.push(block.lines());
    queue.drop(block.kinds.length);
  }
  return Buffer.concat(blocks);
}

/** The lines of a file, each parsed; fails when the last one is not ended. */
export function linesIn(path: string): readonly Line[] {
  const text = readFileSync(path, "utf8");
  if (text !== "" && !text.endsWith("\n")) throw new Error(`${path} ends within a line`);
  return parseLines(text);
}

interface Line {
  readonly callId: string;
  readonly "log.kind": string;
  readonly "trace.id"?: string;
}

/** The lines of a text that ends with one, each parsed. */
export const parseLines = (text: string): readonly Line[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** A call, as observers are told of it. */
export function callOf(method: UnaryMethod, headers: { readonly [name: string]: readonly string[] } = {}, body = "{}"): BegunCall {
  return {
    method,
    callId: ulid(Date.parse("2026-11-20T08:00:00.123Z")),
    call: {
      transport: "http",
      peer: "127.0.0.1:40678",
      headers: { get: (name) => headers[name]?.[0], entries: () => Object.entries(headers) },
    },
    body,
    at: Date.parse("2026-11-20T08:00:00.123Z"),
  };
}
