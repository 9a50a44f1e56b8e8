/** Reads and compiles a store as a server does at its start. */
import { inOrder, type Diagnostic } from "../../../compiler/diagnostic.ts";
import { compile, type CompileOptions } from "../../../compiler/index.ts";
import { openCompileCache, readOnce } from "../../../compiler/cache.ts";
import { misplacedSchemas } from "../../../compiler/policy/misplaced-schemas.ts";
import { isMisplacedSchemas } from "../../../compiler/policy/paths.ts";
import type { SchemaRules } from "../../schemas/check.ts";
import { digest } from "../../texts/digest.ts";
import { openSchemasCheck } from "../../schemas/check.ts";
import { emptyState, withChanges, type StoreState } from "../../compile/store-state.ts";
import type { Store, Unreadable } from "../../store/store.ts";

/** The contents of a store, and the problems found. */
export interface StoreReading {
  readonly state: StoreState;
  /** The options that it was compiled with. */
  readonly options: CompileOptions;
  readonly diagnostics: readonly Diagnostic[];
  /** Files that could not be read, and therefore were not compiled. */
  readonly unreadable: readonly Unreadable[];
  readonly policies: number;
  readonly disabled: number;
}

/** Reads a store repeatedly. */
export interface StoreReader {
  /** Rejects with a refusal when the store cannot be read. */
  readonly read: () => Promise<StoreReading>;
}

/** Opens the reader; `schemas` says where schemas may come from, if attributes are validated. */
export function readStore(store: Store, schemas: SchemaRules | undefined): StoreReader {
  const cache = openCompileCache();
  let state = emptyState;
  return {
    read: async () => {
      state = withChanges(state, await store.read(true));
      const sources = [...state.sources.values()];
      const options: CompileOptions = { digest, ...(schemas && { schemas: openSchemasCheck(state.schemas, schemas, "warning") }) };
      const { diagnostics } = compile(sources, { ...options, cache });
      const documents = sources.flatMap((source) => readOnce(source, cache).document ?? []);
      const isMisplaced = ({ path }: Unreadable): boolean => isMisplacedSchemas(path);
      const misplaced = state.unreadable.filter(isMisplaced).map(({ path }) => misplacedSchemas(path));
      return {
        state,
        options,
        diagnostics: inOrder([...misplaced, ...diagnostics]),
        unreadable: state.unreadable.filter((file) => !isMisplaced(file)),
        policies: sources.length,
        disabled: documents.filter(({ isDisabled }) => isDisabled).length,
      };
    },
  };
}

/** Returns the number of problems that prevent a store from being used. */
export const errorsOf = ({ diagnostics, unreadable }: StoreReading): number =>
  unreadable.length + diagnostics.filter(({ severity }) => severity === "error").length;
