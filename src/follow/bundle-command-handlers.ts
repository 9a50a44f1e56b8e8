/** Answers administrators' commands where the store is a bundle, which is read-only: one row per command. */
import type { Bundle } from "../../runtime/bundle.ts";
import { isFound } from "../admin/patterns.ts";
import type { BundleSet } from "../bundle/set.ts";
import { refused, type Answers, type PolicyFilter, type Refused, type StoreCommand } from "../compile/commands.ts";
import type { ChangeCounts } from "../compile/store-state.ts";
import type { ExecuteCommand } from "./command-handlers.ts";

/** The bundle that is followed. */
export interface FollowedBundle {
  /** Returns the set in force, after all earlier commands. */
  readonly current: () => Promise<BundleSet | undefined>;
  /** Reads the bundle again; returns the difference, or why it was not read. */
  readonly reload: () => Promise<ChangeCounts | Refused>;
}

const readOnly = async (): Promise<Refused> =>
  refused("read-only", "the policies come from a bundle, which is built elsewhere: change its sources, build and publish it");
const sourceless = async (): Promise<Refused> =>
  refused("read-only", "the policies come from a bundle, which holds compiled policies and not their sources: look where it is built");

/** Opens the commands. */
export function openBundleCommandHandlers({ current, reload }: FollowedBundle): ExecuteCommand {
  /** A table by command kind, so that the type checker finds a missing one. */
  const asked: { readonly [K in StoreCommand["kind"]]: (command: Extract<StoreCommand, { kind: K }>) => Promise<Answers[K]> } = {
    "list schemas": async () => [...((await current())?.schemas.keys() ?? [])],
    "get schemas": async ({ ids }) => {
      const schemas = (await current())?.schemas;
      return ids.flatMap((id) => {
        const text = schemas?.get(id);
        return text === undefined ? [] : [{ id, text }];
      });
    },
    "list policies": async ({ filter }) => listed(filter, (await current())?.bundle()),
    reload: async () => {
      const answer = await reload();
      return "kind" in answer ? answer : { kind: "changed", count: answer.created + answer.updated + answer.deleted };
    },
    "put schemas": readOnly,
    "delete schemas": readOnly,
    "put policies": readOnly,
    "get policies": sourceless,
    "inspect policies": sourceless,
    "enable policies": readOnly,
    "disable policies": readOnly,
    "delete policies": readOnly,
    "purge revisions": readOnly,
  };
  // A row looked up by its key matches the command's kind, but the type system cannot express that.
  return (command) => asked[command.kind](command as never) as never;
}

/** Lists policy keys. In a bundle no policy is disabled, and imported policies are merged into those that import them. */
function listed({ ids, name, version, scope }: PolicyFilter, bundle: Bundle | undefined): readonly string[] {
  const wanted = new Set(ids);
  const isMeant = (pattern: string | undefined, text: string): boolean => pattern === undefined || isFound(pattern, text);
  return (bundle?.units ?? [])
    .filter((unit) => isMeant(name, unit.writtenName) && isMeant(version, unit.version))
    .flatMap(({ scopes }) => scopes.filter((one) => isMeant(scope, one.scope)).map(({ key }) => key))
    .filter((key) => wanted.size === 0 || wanted.has(key));
}
