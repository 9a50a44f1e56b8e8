/** The schemas of one store: each loaded when it is first asked for, and kept for as long as its files stay as they are. */
import { withWork } from "../../runtime/cel/work.ts";
import { mostWork } from "./account.ts";
import type { Finding } from "./finding.ts";
import { judgeAttributes } from "./judge.ts";
import { loadSchema, type Loaded, type SchemaFiles, type SchemaPlaces } from "./load.ts";
import type { Validate } from "./validator.ts";
import { readReference } from "./reference.ts";

/** Attributes that must satisfy a schema. */
export interface AttributeCheck {
  /** As the policy writes it. */
  readonly ref: string;
  readonly attributes: unknown;
  /** Only some attributes are known: what is missing is no error. */
  readonly partial?: boolean;
}

/** The schemas of one store. */
export interface Schemas {
  /** Finds what is wrong with each; at once unless another host has to be asked first. */
  readonly validate: (checks: readonly AttributeCheck[]) => Findings | Promise<Findings>;
  /** Says why a reference cannot be used; undefined when it can, or when that takes another host's answer. */
  readonly problem: (ref: string) => string | undefined;
  /** The same with other files; what does not depend on the difference is kept. */
  readonly withFiles: (files: SchemaFiles) => Schemas;
  /** How often a schema that a check asked for was there already, and how many are; across `withFiles`. */
  readonly memory: () => { readonly hits: number; readonly misses: number; readonly live: number };
}

/** What is wrong with each of what was checked, in its order. */
export type Findings = readonly (readonly Finding[])[];

/** A schema that is there, being loaded, or in want of another try. */
interface Entry {
  readonly loaded: Loaded | Promise<Loaded>;
  /** When a failure of another host is worth another try. */
  readonly retryAt: number;
}

/** How long a failure of another host is believed. */
const disbeliefMilliseconds = 30_000;

/** Opens the schemas of a store. */
export function openSchemas(files: SchemaFiles, places: SchemaPlaces): Schemas {
  return open(files, places, new Map(), { hits: 0, misses: 0 });
}

interface Asked {
  hits: number;
  misses: number;
}

function open(files: SchemaFiles, places: SchemaPlaces, entries: Map<string, Entry>, asked: Asked): Schemas {
  const shared = new Map<string, Validate>();
  const share = (loaded: Loaded | Promise<Loaded>): void => {
    if (isThere(loaded) && loaded.kind === "usable" && loaded.sharedText !== undefined) shared.set(loaded.sharedText, loaded.validate);
  };
  for (const { loaded } of entries.values()) share(loaded);
  const load = (url: string): Loaded | Promise<Loaded> => {
    const known = entries.get(url);
    if (known !== undefined && performance.now() < known.retryAt) {
      asked.hits++;
      return known.loaded;
    }
    asked.misses++;
    const loaded = loadSchema(url, files, places, shared);
    entries.set(url, { loaded, retryAt: Infinity });
    share(loaded);
    if (!(loaded instanceof Promise)) return loaded;
    return loaded.then((outcome) => {
      const passing = outcome.kind === "unusable" && outcome.passing;
      entries.set(url, { loaded: outcome, retryAt: passing ? performance.now() + disbeliefMilliseconds : Infinity });
      return outcome;
    });
  };
  // What policies write, which is little; to read a URL takes longer than most validations.
  const references = new Map<string, ReturnType<typeof readReference>>();
  const find = (ref: string): Loaded | Promise<Loaded> => {
    const read = references.get(ref) ?? readReference(ref);
    references.set(ref, read);
    return "reason" in read ? { kind: "unusable", reason: read.reason, passing: false, files: new Map() } : load(read.url);
  };
  return {
    validate: (checks) => {
      const found = checks.map(({ ref }) => find(ref));
      const there = found.filter(isThere);
      return there.length === found.length
        ? judge(checks, there)
        : Promise.all(found.map(async (one) => one)).then((loaded) => judge(checks, loaded));
    },
    problem: (ref) => {
      const found = find(ref);
      return isThere(found) && found.kind === "unusable" ? found.reason : undefined;
    },
    withFiles: (next) =>
      open(next, places, new Map([...entries].filter(([, { loaded }]) => isThere(loaded) && isMadeOf(loaded, next))), asked),
    memory: () => ({ ...asked, live: entries.size }),
  };
}

const isThere = (loaded: Loaded | Promise<Loaded>): loaded is Loaded => !(loaded instanceof Promise);

const isMadeOf = (loaded: Loaded, files: SchemaFiles): boolean => [...loaded.files].every(([path, text]) => files.get(path) === text);

/** Nothing is waited for in here, so that one account serves all. */
function judge(checks: readonly AttributeCheck[], loaded: readonly Loaded[]): Findings {
  return withWork(mostWork, 0, () =>
    checks.map((check, index) => {
      const { ref } = check;
      const schema = loaded[index];
      if (schema?.kind === "usable") return judgeAttributes(schema.validate, check);
      return [{ path: "", message: `the schema \`${ref}\` cannot be used: ${schema?.reason ?? "it was not loaded"}` }];
    }),
  );
}
