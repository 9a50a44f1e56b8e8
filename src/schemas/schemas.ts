/** The schemas of one store: each is loaded on first use, and kept as long as its files do not change. */
import { withWork } from "../../runtime/cel/work.ts";
import { maxWork } from "./cost.ts";
import type { Finding } from "./finding.ts";
import { validateAttributes } from "./validate-attributes.ts";
import { loadSchema, type LoadedSchema, type SchemaFiles, type SchemaPlaces } from "./load.ts";
import type { Validate } from "./validator.ts";
import { readReference } from "./reference.ts";

/** Attributes to validate by a schema. */
export interface AttributeCheck {
  /** The reference in the policy. */
  readonly ref: string;
  readonly attributes: unknown;
  /** Only some attributes are known, so missing ones are no errors. */
  readonly partial?: boolean;
}

/** The schemas of one store. */
export interface Schemas {
  /** Validates attributes; synchronously unless another host must be asked first. */
  readonly validate: (checks: readonly AttributeCheck[]) => Findings | Promise<Findings>;
  /** Returns why a reference cannot be used; undefined when it can, or when that depends on another host's answer. */
  readonly problem: (ref: string) => string | undefined;
  /** Returns the schemas for other files; what does not depend on the difference is kept. */
  readonly withFiles: (files: SchemaFiles) => Schemas;
  /**
   * The cache counters: how often a schema was loaded already when needed, how often not, and how many are loaded; kept across
   * `withFiles`.
   */
  readonly cacheState: () => { readonly hits: number; readonly misses: number; readonly live: number };
}

/** The findings of each check, in order. */
export type Findings = readonly (readonly Finding[])[];

/** A schema that is loaded, being loaded, or to be tried again. */
interface Entry {
  readonly loaded: LoadedSchema | Promise<LoadedSchema>;
  /** When a failure of another host may be retried. */
  readonly retryAt: number;
}

/** How many milliseconds a failure of another host is remembered. */
const failureCacheMilliseconds = 30_000;

/** Opens the schemas of a store. */
export function openSchemas(files: SchemaFiles, places: SchemaPlaces): Schemas {
  return open(files, places, new Map(), { hits: 0, misses: 0 });
}

interface CacheCounts {
  hits: number;
  misses: number;
}

function open(files: SchemaFiles, places: SchemaPlaces, entries: Map<string, Entry>, counts: CacheCounts): Schemas {
  const shared = new Map<string, Validate>();
  const share = (loaded: LoadedSchema | Promise<LoadedSchema>): void => {
    if (isLoaded(loaded) && loaded.kind === "usable" && loaded.sharedText !== undefined) shared.set(loaded.sharedText, loaded.validate);
  };
  for (const { loaded } of entries.values()) share(loaded);
  const load = (url: string): LoadedSchema | Promise<LoadedSchema> => {
    const known = entries.get(url);
    if (known !== undefined && performance.now() < known.retryAt) {
      counts.hits++;
      return known.loaded;
    }
    counts.misses++;
    const loaded = loadSchema(url, files, places, shared);
    entries.set(url, { loaded, retryAt: Infinity });
    share(loaded);
    if (!(loaded instanceof Promise)) return loaded;
    return loaded.then((outcome) => {
      const isTransient = outcome.kind === "unusable" && outcome.isTransient;
      entries.set(url, { loaded: outcome, retryAt: isTransient ? performance.now() + failureCacheMilliseconds : Infinity });
      return outcome;
    });
  };
  // A cache, because parsing a URL takes longer than most validations. It is bounded by the references in policies.
  const references = new Map<string, ReturnType<typeof readReference>>();
  const find = (ref: string): LoadedSchema | Promise<LoadedSchema> => {
    const read = references.get(ref) ?? readReference(ref);
    references.set(ref, read);
    return "reason" in read ? { kind: "unusable", reason: read.reason, isTransient: false, files: new Map() } : load(read.url);
  };
  return {
    validate: (checks) => {
      const found = checks.map(({ ref }) => find(ref));
      const loaded = found.filter(isLoaded);
      return loaded.length === found.length
        ? validateAll(checks, loaded)
        : Promise.all(found.map(async (one) => one)).then((all) => validateAll(checks, all));
    },
    problem: (ref) => {
      const found = find(ref);
      return isLoaded(found) && found.kind === "unusable" ? found.reason : undefined;
    },
    withFiles: (next) =>
      open(next, places, new Map([...entries].filter(([, { loaded }]) => isLoaded(loaded) && isUpToDate(loaded, next))), counts),
    cacheState: () => ({ ...counts, live: entries.size }),
  };
}

const isLoaded = (loaded: LoadedSchema | Promise<LoadedSchema>): loaded is LoadedSchema => !(loaded instanceof Promise);

const isUpToDate = (loaded: LoadedSchema, files: SchemaFiles): boolean =>
  [...loaded.files].every(([path, text]) => files.get(path) === text);

/** Synchronous, so that one account serves all checks. */
function validateAll(checks: readonly AttributeCheck[], loaded: readonly LoadedSchema[]): Findings {
  return withWork(maxWork, 0, () =>
    checks.map((check, index) => {
      const { ref } = check;
      const schema = loaded[index];
      if (schema?.kind === "usable") return validateAttributes(schema.validate, check);
      return [{ path: "", message: `the schema \`${ref}\` cannot be used: ${schema?.reason ?? "it was not loaded"}` }];
    }),
  );
}
