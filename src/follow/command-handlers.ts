/** Answers the commands that administrators send to the compile thread: one row a command. */
import { deletePolicies, disablePolicies, enablePolicies } from "../admin/changes/by-id.ts";
import { putPolicies } from "../admin/changes/put-policies.ts";
import { deleteSchemas, putSchemas } from "../admin/changes/schemas.ts";
import { getPolicies, inspectStored, listPolicies } from "../admin/policy-queries.ts";
import type { StoreOperations } from "./change-store.ts";
import { openChangeQueue } from "./change-queue.ts";
import { refused, type Answers, type Changed, type Refused, type StoreCommand } from "../compile/commands.ts";
import type { StoreState } from "../compile/store-state.ts";
import { refuseChange, refuseReading, refuseReload } from "./refuse-store.ts";

/** Executes a command and returns its answer. */
export type ExecuteCommand = <C extends StoreCommand>(command: C) => Promise<Answers[C["kind"]]>;

/** Opens the commands on a store. Reads and changes are serialised by `inTurn`. */
export function openCommandHandlers(operations: StoreOperations, inTurn: <T>(work: () => Promise<T>) => Promise<T>): ExecuteCommand {
  const { cache } = operations;
  const reading = <T>(answer: (state: StoreState) => T): Promise<T | Refused> =>
    inTurn(async () => {
      try {
        return answer(await operations.refresh(false));
      } catch (error) {
        return refuseReading(error);
      }
    });
  const change = openChangeQueue(operations, inTurn);

  /** A table by command kind, so that the type checker finds a missing one. */
  const asked: { readonly [K in StoreCommand["kind"]]: (command: Extract<StoreCommand, { kind: K }>) => Promise<Answers[K]> } = {
    "list schemas": () => reading(({ schemas }) => [...schemas.keys()]),
    "get schemas": ({ ids }) =>
      reading(({ schemas }) =>
        ids.flatMap((id) => {
          const text = schemas.get(id);
          return text === undefined ? [] : [{ id, text }];
        }),
      ),
    "put schemas": ({ schemas }) => change((context) => putSchemas(schemas, context)),
    "delete schemas": ({ ids }) => change((context) => deleteSchemas(ids, context)),
    "list policies": ({ filter }) => reading((state) => listPolicies(filter, state, cache)),
    "get policies": ({ ids }) => reading((state) => getPolicies(ids, state, cache)),
    "inspect policies": ({ filter }) => reading((state) => inspectStored(filter, state, cache)),
    "put policies": ({ policies }) => change((context) => putPolicies(policies, context)),
    "enable policies": ({ ids }) => change((context) => enablePolicies(ids, context)),
    "disable policies": ({ ids }) => change((context) => disablePolicies(ids, context)),
    "delete policies": ({ ids }) => change((context) => deletePolicies(ids, context)),
    reload: () => inTurn(() => reload(operations)),
    "purge revisions": ({ keepLast }) => inTurn(() => purge(operations, keepLast)),
  };
  // A row looked up by its key matches the command's kind, but the type system cannot express that.
  return (command) => asked[command.kind](command as never) as never;
}

/** Reads the whole store again. Answers once the result is in force, or with the reason why it is not. */
async function reload(operations: StoreOperations): Promise<Changed | Refused> {
  try {
    await operations.refresh(true);
  } catch (error) {
    return refuseReload(error);
  }
  const ahead = operations.isAhead();
  const compiled = ahead ? operations.catchUp() : operations.lastResult();
  const stale = operations.staleBecause();
  if (stale !== undefined) return refused("store", `${stale}, and its last good copy keeps answering`);
  if (compiled?.kind !== "broken") return { kind: "changed", count: ahead ? 1 : 0 };
  return refused(
    "store",
    "the policies of the store do not compile, and the last good set keeps answering",
    compiled.findings
      .filter(({ severity }) => severity === "error")
      .map(({ place, code, message }) => ({ path: "", code, message: `${place}: ${message}` })),
  );
}

async function purge({ store }: StoreOperations, keepLast: number): Promise<Changed | Refused> {
  if (store.purgeRevisions === undefined)
    return refused("read-only", `${store.name} keeps no revisions: only the sqlite store does (setting storage.driver)`);
  if (store.readOnly !== undefined) return refused("read-only", store.readOnly);
  try {
    return { kind: "changed", count: await store.purgeRevisions(keepLast) };
  } catch (error) {
    return refuseChange(error);
  }
}
