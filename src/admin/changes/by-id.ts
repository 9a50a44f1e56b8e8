/** Plans changes that enable, disable or delete policies by id. */
import type { CompileCache } from "../../../compiler/cache.ts";
import { refused, type RemovalConflict, type RequestProblem, type Refused } from "../../compile/commands.ts";
import { withEdits, type StoreState } from "../../compile/store-state.ts";
import { emptyBatch, type Batch } from "../../store/store.ts";
import { findPolicies, storedPolicies, type FoundPolicy } from "../stored-policies.ts";
import { problemsOfSet, refuseBrokenStore, type BrokenSet, type Change, type ChangeContext } from "./change.ts";
import { withDisabled } from "./disabled-text.ts";
import { openDependents } from "./dependents.ts";

/** Plans to enable policies. Policies that are enabled already are counted too; unknown ids are not. */
export const enablePolicies = (ids: readonly string[], context: ChangeContext): Change | Refused =>
  setDisabled(ids, false, context, (broken, wasBroken) =>
    wasBroken
      ? refuseBrokenStore(broken)
      : refused("precondition", "the policies would not compile with these enabled", problemsOfSet(broken)),
  );

/** Plans to disable policies; refuses if that would break others. */
export const disablePolicies = (ids: readonly string[], context: ChangeContext): Change | Refused =>
  setDisabled(ids, true, context, (broken, wasBroken, found, left) =>
    refuseGone("disabled", { broken, wasBroken, found, left }, context.cache),
  );

/** Plans to delete policies; refuses if that would break others. A file that cannot be read can be deleted by its path. */
export function deletePolicies(ids: readonly string[], { state, cache }: ChangeContext): Change | Refused {
  const found = findPolicies(ids, storedPolicies(state.sources, cache));
  const removePolicies = found.map(({ id }) => id);
  const left = { ...state, sources: withEdits(state.sources, removePolicies, []) };
  return {
    kind: "change",
    state: left,
    batch: { ...emptyBatch, removePolicies },
    count: found.length,
    refuse: (broken, wasBroken) => refuseGone("deleted", { broken, wasBroken, found, left }, cache),
  };
}

function setDisabled(
  ids: readonly string[],
  isDisabled: boolean,
  { state, store, cache, at }: ChangeContext,
  refuse: (broken: BrokenSet, wasBroken: boolean, found: readonly FoundPolicy[], next: StoreState) => Refused,
): Change | Refused {
  const found = findPolicies(ids, storedPolicies(state.sources, cache));
  const problems: RequestProblem[] = [];
  const putPolicies: Batch["putPolicies"][number][] = [];
  for (const { id: path, source, asked } of found) {
    const text = withDisabled(source, isDisabled);
    if (text === undefined)
      problems.push({
        path: `id[${ids.indexOf(asked)}]`,
        code: "policy.unreadable",
        message: `the policy \`${path}\` cannot be read as a whole: fix it first`,
      });
    else if (text !== source.text) putPolicies.push({ path, text, isDisabled });
  }
  if (problems.length > 0) return refused("precondition", `the policies cannot be ${isDisabled ? "disabled" : "enabled"}`, problems);
  const put = putPolicies.map(({ path, text }) => [path, store.sourceOf({ path, text }, at)] as const);
  const next = { ...state, sources: withEdits(state.sources, [], put) };
  return {
    kind: "change",
    state: next,
    batch: { ...emptyBatch, putPolicies },
    count: found.length,
    refuse: (broken, wasBroken) => refuse(broken, wasBroken, found, next),
  };
}

/** The store as it would be after the change, which would not compile. */
interface Gone {
  readonly broken: BrokenSet;
  readonly wasBroken: boolean;
  readonly found: readonly FoundPolicy[];
  readonly left: StoreState;
}

/** Refuses, and names the policies that need what would be removed, or the other errors. */
function refuseGone(done: "disabled" | "deleted", { broken, wasBroken, found, left }: Gone, cache: CompileCache): Refused {
  const findDependent = openDependents(
    storedPolicies(left.sources, cache).all.flatMap(({ document }) => (document === undefined ? [] : [document])),
  );
  const needed = found.flatMap(({ asked, document }) => {
    const why = document === undefined || document.isDisabled ? undefined : findDependent(document);
    return why === undefined ? [] : [[asked, why] as const];
  });
  if (needed.length === 0)
    return wasBroken
      ? refuseBrokenStore(broken)
      : refused("precondition", `the policies would not compile with these ${done}`, problemsOfSet(broken));
  return {
    ...refused(
      "invalid",
      `the policies cannot be ${done}`,
      needed.map(([asked, why]) => ({ path: "", code: "policy.needed", message: sentenceOf(asked, why) })),
    ),
    // `fromEntries` defines own properties, so that an id `__proto__` is ordinary data.
    broken: Object.fromEntries(needed),
  };
}

function sentenceOf(id: string, why: RemovalConflict): string {
  return why.kind === "scope chain"
    ? `\`${id}\` is needed above ${listed(why.descendants)}`
    : `\`${id}\` is imported by ${listed(why.dependents)}`;
}

/** The most ids that a message lists. */
const maxListed = 5;

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, maxListed).map((id) => `\`${id}\``);
  const more = ids.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
