/** The table of replacements: smaller files that replace parts of the runtime in a built module, and when each may. */
import type { RuntimeParts } from "./runtime-parts.ts";
import type { ModuleTarget } from "./targets.ts";

/** A file of the runtime, its replacement, and when it may be replaced. Paths are below `runtime`, without extensions. */
interface Replacement {
  readonly file: string;
  readonly replacement: string;
  readonly applies: (parts: RuntimeParts, target: ModuleTarget) => boolean;
}

/** Returns whether a module is sent over a network before it runs: then its size counts more than its speed. */
const isSentOverNetwork = (_: RuntimeParts, target: ModuleTarget): boolean => target !== "node";

const withoutInterpreter = "built/without-interpreter";

/** Every replacement. */
const replacements: readonly Replacement[] = [
  { file: "cel/regex", replacement: "built/without-regex-engine", applies: ({ patterns }) => !patterns },
  { file: "door/read-request", replacement: "built/small-read-request", applies: isSentOverNetwork },
  { file: "door/snapshot", replacement: "built/small-snapshot", applies: isSentOverNetwork },
  { file: "door/convert-claims", replacement: "built/without-claims", applies: ({ claims }) => !claims },
  { file: "door/well-formed", replacement: "built/well-formed-by-pattern", applies: isSentOverNetwork },
  { file: "decide/router", replacement: "built/small-router", applies: isSentOverNetwork },
  { file: "decide/recent-role-paths", replacement: "built/small-recent-role-paths", applies: isSentOverNetwork },
  { file: "decide/glob-machine", replacement: "built/without-glob-machine", applies: ({ globs }) => !globs },
  ...["fast-path", "fast-path-plain", "fast-path-quiet", "fast-path-recorded"].map((name) => ({
    file: `decide/${name}`,
    replacement: "built/without-fast-paths",
    applies: () => true,
  })),
  { file: "own-text", replacement: "built/without-string-copies", applies: () => true },
  { file: "decide/active-roles", replacement: "built/small-active-roles", applies: () => true },
  { file: "decide/role-caches", replacement: "built/without-shared-caches", applies: () => true },
  ...["role-restrictions", "role-index"].map((name) => ({
    file: `decide/${name}`,
    replacement: "built/without-role-policies",
    applies: ({ roles }: RuntimeParts) => !roles,
  })),
  { file: "decide/principal-route", replacement: "built/without-principal-policies", applies: ({ principals }) => !principals },
  { file: "cel/same-type", replacement: "built/without-types", applies: ({ types }) => !types },
  { file: "cel/time-zone", replacement: "built/without-zones", applies: ({ zones }) => !zones },
  { file: "decide/activation", replacement: withoutInterpreter, applies: ({ records }) => !records },
  ...["caller-errors", "effective-policies", "evaluation-errors", "questions", "rows-apply", "strict", "trees"].map((name) => ({
    file: `decide/${name}`,
    replacement: withoutInterpreter,
    applies: ({ interpreter }: RuntimeParts) => !interpreter,
  })),
  ...["cel/evaluate/brief", "cel/print-value", "cel/shortened"].map((file) => ({
    file,
    replacement: "built/without-value-formatting",
    applies: ({ interpreter }: RuntimeParts) => !interpreter,
  })),
  { file: "decide/outputs", replacement: withoutInterpreter, applies: ({ outputs, interpreter }) => !outputs && !interpreter },
];

/** Returns the replacements that apply, by the paths of the replaced files below `runtime`. */
export const replacementsFor = (parts: RuntimeParts, target: ModuleTarget): ReadonlyMap<string, string> =>
  new Map(replacements.filter(({ applies }) => applies(parts, target)).map(({ file, replacement }) => [file, replacement]));
