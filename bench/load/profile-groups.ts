/** Groups of a V8 profile: whose work the self time of each function is. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { program } from "./subject.ts";

/** What is read of a `.cpuprofile`. Times are microseconds of the system's monotonic clock. */
export interface Profile {
  readonly startTime: number;
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}
interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/** Microseconds. */
export interface Shares {
  /** All but idle time. */
  readonly busy: number;
  readonly groups: ReadonlyMap<string, number>;
  /** By group, name and place. */
  readonly functions: ReadonlyMap<string, number>;
}

/** Sums the samples between two moments. */
export function groupsOf(profile: Profile, from: number, to: number): Shares {
  const parents = new Map<number, ProfileNode>();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  for (const node of profile.nodes) for (const child of node.children ?? []) parents.set(child, node);
  const known = new Map<number, string>();
  const groupOf = (node: ProfileNode): string => {
    const found = known.get(node.id) ?? ownGroup(node) ?? callerGroup(node);
    known.set(node.id, found);
    return found;
  };
  // What says nothing of itself, such as `parse` of JSON or a function of a Map, works for its caller.
  const callerGroup = (node: ProfileNode): string => {
    const parent = parents.get(node.id);
    return parent === undefined ? "other" : groupOf(parent);
  };
  const groups = new Map<string, number>();
  const functions = new Map<string, number>();
  let busy = 0;
  let at = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const time = profile.timeDeltas[index] ?? 0;
    at += time;
    const node = nodes.get(id);
    if (at < from || at > to || node === undefined || node.callFrame.functionName === "(idle)") continue;
    const group = groupOf(node);
    const { functionName, url, lineNumber } = node.callFrame;
    const key = `${group}: ${functionName} ${url.split("/").at(-1)}:${lineNumber + 1}`;
    groups.set(group, (groups.get(group) ?? 0) + time);
    functions.set(key, (functions.get(key) ?? 0) + time);
    busy += time;
  }
  return { busy, groups, functions };
}

/** What a file's work is called; the first that fits. */
const rooms: readonly (readonly [paths: RegExp, group: string])[] = [
  [/^node:(?:_http|internal\/http(?!2))/, "Node's HTTP"],
  [/^node:(?:http2|internal\/http2)/, "Node's HTTP/2"],
  [/^node:/, "Node's sockets, streams, events and timers"],
  [/@grpc\/grpc-js/, "grpc-js"],
  [/^runtime\/wire\/(?:json|scan)/, "realm: parse"],
  [/^runtime\/wire\/(?:reply|decisions|pretty|forms)/, "realm: reply"],
  [/^runtime\/wire\//, "realm: validate"],
  [/^runtime\/sandbox\//, "realm: its door"],
  [/^runtime\/(?:decide|emitted|cel|load|open-unit)/, "realm: decide"],
  [/^src\/observe\/.*log|^src\/server\/.*log/, "log"],
  [/^src\/observe\//, "metrics"],
  [/^src\/audit\//, "audit"],
  [/^src\/server\/(?:grpc-codec|message-|json-to-message)|@bufbuild/, "messages to JSON and back"],
  [/^src\/server\//, "our transport"],
  [/^(?:src|runtime|compiler|proto)\//, "the rest of the program"],
];

function ownGroup({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string | undefined {
  if (functionName === "(garbage collector)") return "collecting garbage";
  if (functionName === "(program)") return "native code of Node (libuv, V8)";
  if (/^write(?:v|Buffer|Latin1String|Utf8String|AsciiString)$/.test(functionName) && url === "") return "writing to sockets (writev)";
  const path = sourceOf(url, lineNumber);
  if (path === undefined) return undefined;
  // Nothing but JSON.parse.
  if (functionName === "parse" && path === "runtime/wire/request.ts") return "realm: parse";
  return rooms.find(([paths]) => paths.test(path))?.[1] ?? "other";
}

/** Where the files of a bundle begin, by line: esbuild says so in comments. */
const bundles = new Map<string, readonly (readonly [line: number, path: string])[]>();

/** The source file of a place in the built program; undefined for what has none, such as compiled policies. */
function sourceOf(url: string, line: number): string | undefined {
  if (url.startsWith("node:")) return url;
  const file = url === "authz:guest" ? join(dirname(program), "guest.js") : url.startsWith("file:") ? fileURLToPath(url) : undefined;
  if (file === undefined || file.includes("/node_modules/")) return file;
  const known = bundles.get(file) ?? beginnings(file);
  bundles.set(file, known);
  return known.findLast(([first]) => first <= line)?.[1];
}

const beginnings = (file: string): readonly (readonly [line: number, path: string])[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .flatMap((text, line) => {
      const [, path] = /^\s*\/\/ ((?:src|runtime|compiler|proto|node_modules)\/\S+)$/.exec(text) ?? [];
      return path === undefined ? [] : [[line, path] as const];
    });
