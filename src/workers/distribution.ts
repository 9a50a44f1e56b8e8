/** Distributes each policy set, compiled once, to all workers: a change to those that have the set before it, the whole set to the rest. */
import { digest as digestOf } from "../texts/digest.ts";
import type { SetReceiver } from "../activation.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import type { WorkerProcess } from "./worker-process.ts";
import type { SetText } from "./messages.ts";

/** Distributes policy sets to the workers. */
export interface Distribution extends SetReceiver {
  /** Sends a new worker the set in force, or the first set as soon as there is one. */
  readonly join: (worker: WorkerProcess) => Promise<void>;
}

/** The workers, and the callbacks. */
export interface DistributionOptions {
  /** Returns the workers, including those that have just started. */
  readonly workers: () => readonly WorkerProcess[];
  /** Requests that the whole set be loaded once more. */
  readonly requestWholeSet: () => void;
  /** Called when a worker cannot load a set that another has loaded. */
  readonly failed: (worker: WorkerProcess, error: unknown) => void;
}

/** Which set a worker has, and whether it waits for a whole one. */
interface Progress {
  /** The set that it was sent last; undefined: it needs the whole set. */
  has: string | undefined;
  /** How many whole sets it was sent. The result of a change sent before the last of them is irrelevant. */
  wholes: number;
  /** Present while a caller waits for the whole set to be loaded. */
  wanted: Promise<void> | undefined;
  arrived: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
}

/** Opens the distribution; no set is in force. */
export function openDistribution({ workers, requestWholeSet, failed }: DistributionOptions): Distribution {
  const progress = new WeakMap<WorkerProcess, Progress>();
  /** The digests of the set that was announced last: of its policies and of its schemas. */
  let inForce: string | undefined;
  let schemasDigest = "";
  /** Whether there has been a set. Even one that no worker could load must be sent to new workers, which would otherwise wait forever. */
  let hasSet = false;

  const of = (worker: WorkerProcess): Progress => {
    const known = progress.get(worker) ?? { has: undefined, wholes: 0, wanted: undefined, arrived: undefined };
    progress.set(worker, known);
    return known;
  };
  const nameOf = (digest: string, schemas: SchemaFiles | undefined): string => {
    hasSet = true;
    if (schemas !== undefined) schemasDigest = digestOf(JSON.stringify([...schemas]));
    return `${digest} ${schemasDigest}`;
  };
  const waitForWholeSet = (worker: WorkerProcess): Promise<void> => {
    const one = of(worker);
    if (one.wanted === undefined) {
      one.wanted = new Promise((resolve, reject) => void (one.arrived = { resolve, reject }));
      one.wanted.catch(() => undefined); // whoever waits for it gets the error
      void worker.exited.then(() => one.arrived?.resolve());
      if (hasSet) requestWholeSet();
    }
    return one.wanted;
  };
  /**
   * Resolves to the error when a worker could not load the set; to undefined when it could, or is gone: its replacement starts with the
   * whole set.
   */
  const sendWholeSet = async (worker: WorkerProcess, name: string, { text, schemas }: SetText): Promise<unknown> => {
    const one = of(worker);
    one.has = name;
    const turn = ++one.wholes;
    let trouble: unknown;
    try {
      await worker.ask("set", { text, schemas });
    } catch (error) {
      if (!worker.hasExited()) trouble = error ?? new Error("nobody said why");
      if (one.wholes === turn) one.has = undefined;
    }
    if (one.wholes === turn) {
      if (trouble === undefined) one.arrived?.resolve();
      else one.arrived?.reject(trouble);
      one.wanted = one.arrived = undefined;
    }
    return trouble;
  };
  const sendChange = async (
    worker: WorkerProcess,
    before: string | undefined,
    name: string,
    change: Parameters<SetReceiver["change"]>,
  ): Promise<void> => {
    const one = of(worker);
    if (before === undefined || one.has !== before) return waitForWholeSet(worker);
    one.has = name;
    const { wholes } = one;
    try {
      await worker.ask("change", { text: change[0], schemas: change[1] });
    } catch {
      if (worker.hasExited()) return;
      if (one.wholes === wholes) one.has = undefined;
      await waitForWholeSet(worker);
    }
  };

  return {
    join: waitForWholeSet,
    load: async (text, schemas, digest) => {
      const name = nameOf(digest, schemas);
      const isNew = name !== inForce;
      inForce = name;
      // A worker that waits for the set gets it, even if it was sent the same set before.
      const receivers = workers().filter((worker) => of(worker).has !== name || of(worker).wanted !== undefined);
      const troubles = await Promise.all(receivers.map((worker) => sendWholeSet(worker, name, { text, schemas })));
      const [trouble] = troubles.filter((one) => one !== undefined);
      if (trouble === undefined) return isNew;
      if (!workers().some((worker) => of(worker).has === name)) {
        if (inForce === name) inForce = undefined;
        throw trouble;
      }
      for (const [index, worker] of receivers.entries()) if (troubles[index] !== undefined) failed(worker, troubles[index]);
      return isNew;
    },
    change: async (text, schemas, digest) => {
      const before = inForce;
      inForce = nameOf(digest, schemas);
      const name = inForce;
      await Promise.all(workers().map((worker) => sendChange(worker, before, name, [text, schemas, digest])));
      return true;
    },
  };
}
