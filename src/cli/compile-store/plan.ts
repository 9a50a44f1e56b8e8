/** Plans which policies of a store must be disabled for the rest to compile, and the new contents of their files. */
import { compile, type CompileOptions } from "../../../compiler/index.ts";
import { importsOf } from "../../../compiler/inspect/index.ts";
import { openCompileCache, readOnce } from "../../../compiler/cache.ts";
import type { PolicyDocument } from "../../../compiler/policy/document.ts";
import { documentKey } from "../../../compiler/policy/names.ts";
import type { Source } from "../../../compiler/source.ts";
import { withDisabled } from "../../admin/changes/disabled-text.ts";
import { withEdits, type StoreState } from "../../compile/store-state.ts";
import type { Batch, Store } from "../../store/store.ts";
import { ancestorKeys } from "./ancestors.ts";
import { findPoliciesAtFault } from "./policies-at-fault.ts";

/** A policy to disable, and why. */
export interface Disabled {
  /** Its id in the store. */
  readonly id: string;
  readonly key: string;
  /** A sentence without a full stop. */
  readonly reason: string;
}

/** A plan that makes the store compile, or what prevents one. */
export type Plan =
  | { readonly kind: "plan"; readonly disabled: readonly Disabled[]; readonly batch: Batch["putPolicies"] }
  /** Files for which disabling does not help. */
  | { readonly kind: "stuck"; readonly files: readonly Pick<Disabled, "id" | "reason">[] };

/** Computes the plan: disables the policies at fault, then those that need one of them, and so on until no error is left. */
export function planDisabling(state: StoreState, store: Pick<Store, "sourceOf">, at: number, options: CompileOptions): Plan {
  const cache = openCompileCache();
  const stuck = new Map(state.unreadable.map(({ path, message }) => [path, message]));
  const disabled = new Map<string, Disabled>();
  const batch: Batch["putPolicies"][number][] = [];
  let sources = state.sources;

  const mistakeIn = (source: Source): string | undefined =>
    readOnce(source, cache).diagnostics.find(({ severity }) => severity === "error")?.message;
  /** Returns the source with the policy disabled; or what is still wrong with it, because even a disabled policy must be well formed. */
  const disabledSource = (source: Source): Source | string => {
    const text = withDisabled(source, true);
    if (text === undefined) return mistakeIn(source) ?? "its text cannot be edited";
    const placed = store.sourceOf({ path: source.path, text }, at);
    return mistakeIn(placed) ?? placed;
  };

  for (;;) {
    const all = [...sources.values()];
    const errors = compile(all, { ...options, cache }).diagnostics.filter(({ severity }) => severity === "error");
    if (errors.length === 0) break;
    const enabled = new Map<string, PolicyDocument>();
    for (const source of all) {
      const { document } = readOnce(source, cache);
      if (document !== undefined && !document.isDisabled) enabled.set(source.path, document);
    }
    const gone = new Set(Array.from(disabled.values(), ({ key }) => key));
    const put: (readonly [path: string, source: Source])[] = [];
    for (const [path, reason] of findPoliciesAtFault(errors, enabled)) {
      const source = sources.get(path);
      const document = enabled.get(path);
      const placed = source === undefined ? reason : disabledSource(source);
      if (document === undefined || typeof placed === "string") {
        stuck.set(path, typeof placed === "string" ? placed : reason);
        continue;
      }
      // In the first round policies are at fault themselves; in later rounds they need one that was disabled before.
      const needs = [...importsOf(document), ...ancestorKeys(document)].filter((key) => gone.has(key));
      disabled.set(path, {
        id: path,
        key: documentKey(document),
        reason: needs.length > 0 ? `it needs \`${needs.join("`, `")}\`` : reason,
      });
      batch.push({ path, text: placed.text, isDisabled: true });
      put.push([path, placed]);
    }
    // INVARIANT: every round disables a policy that was not, so there is a last one.
    if (put.length > 0) sources = withEdits(sources, [], put);
    else {
      if (stuck.size === 0) stuck.set("policies", errors.map(({ message }) => message).join("; "));
      break;
    }
  }
  if (stuck.size > 0) return { kind: "stuck", files: Array.from(stuck, ([id, reason]) => ({ id, reason })) };
  return { kind: "plan", disabled: [...disabled.values()], batch };
}
