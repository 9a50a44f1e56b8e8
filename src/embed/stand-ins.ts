/** The table of stand-ins: smaller files that replace parts of the runtime in a built module, and when each may. */
import type { Parts } from "./parts.ts";
import type { ModuleTarget } from "./targets.ts";

/** A file of the runtime, its replacement, and when it may be replaced. Paths are below `runtime`, without extensions. */
interface StandIn {
  readonly file: string;
  readonly by: string;
  readonly may: (parts: Parts, target: ModuleTarget) => boolean;
}

/** Returns whether a module is sent over a network before it runs: then its size counts more than its speed. */
const isSent = (_: Parts, target: ModuleTarget): boolean => target !== "node";

const withoutInterpreter = "built/without-interpreter";

/** Every stand-in. */
const standIns: readonly StandIn[] = [
  { file: "cel/regex", by: "built/without-regex-engine", may: ({ patterns }) => !patterns },
  { file: "door/read-request", by: "built/small-read-request", may: isSent },
  { file: "door/snapshot", by: "built/small-snapshot", may: isSent },
  { file: "door/convert-claims", by: "built/without-claims", may: ({ claims }) => !claims },
  { file: "door/well-formed", by: "built/well-formed-by-pattern", may: isSent },
  { file: "decide/router", by: "built/small-router", may: isSent },
  { file: "decide/recent-role-paths", by: "built/small-recent-role-paths", may: isSent },
  { file: "decide/glob-machine", by: "built/without-glob-machine", may: ({ globs }) => !globs },
  ...["fast-path", "fast-path-plain", "fast-path-quiet", "fast-path-recorded"].map((name) => ({
    file: `decide/${name}`,
    by: "built/without-fast-paths",
    may: () => true,
  })),
  { file: "own-text", by: "built/without-string-copies", may: () => true },
  { file: "decide/active-roles", by: "built/small-active-roles", may: () => true },
  { file: "decide/role-caches", by: "built/without-shared-caches", may: () => true },
  ...["role-restrictions", "role-index"].map((name) => ({
    file: `decide/${name}`,
    by: "built/without-role-policies",
    may: ({ roles }: Parts) => !roles,
  })),
  { file: "decide/principal-route", by: "built/without-principal-policies", may: ({ principals }) => !principals },
  { file: "cel/same-type", by: "built/without-types", may: ({ types }) => !types },
  { file: "cel/time-zone", by: "built/without-zones", may: ({ zones }) => !zones },
  { file: "decide/activation", by: withoutInterpreter, may: ({ records }) => !records },
  ...["caller-errors", "effective-policies", "evaluation-errors", "questions", "rows-apply", "strict", "trees"].map((name) => ({
    file: `decide/${name}`,
    by: withoutInterpreter,
    may: ({ interpreter }: Parts) => !interpreter,
  })),
  ...["cel/evaluate/brief", "cel/print-value", "cel/shortened"].map((file) => ({
    file,
    by: "built/without-value-formatting",
    may: ({ interpreter }: Parts) => !interpreter,
  })),
  { file: "door/freeze-json", by: withoutInterpreter, may: ({ interpreter }) => !interpreter },
  { file: "decide/outputs", by: withoutInterpreter, may: ({ outputs, interpreter }) => !outputs && !interpreter },
];

/** Returns the replacements that apply, by the paths of the replaced files below `runtime`. */
export const standInsFor = (parts: Parts, target: ModuleTarget): ReadonlyMap<string, string> =>
  new Map(standIns.filter(({ may }) => may(parts, target)).map(({ file, by }) => [file, by]));
