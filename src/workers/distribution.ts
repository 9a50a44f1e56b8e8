/** Distributes each policy set, compiled once, to all workers: a change to those that have the set before it, the whole set to the rest. */
import { digest as digestOf } from "../texts/digest.ts";
import type { SetTaker } from "../take-in.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import type { Member } from "./member.ts";
import type { SetText } from "./messages.ts";

/** Distributes policy sets to the workers. */
export interface Distribution extends SetTaker {
  /** Sends a new worker the set in force, or the first set as soon as there is one. */
  readonly join: (member: Member) => Promise<void>;
}

/** The workers, and the callbacks. */
export interface DistributionOptions {
  /** Returns the workers, including those that have just started. */
  readonly members: () => readonly Member[];
  /** Requests that the whole set be loaded once more. */
  readonly wantWhole: () => void;
  /** Called when a worker cannot load a set that another has loaded. */
  readonly failed: (member: Member, error: unknown) => void;
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
export function openDistribution({ members, wantWhole, failed }: DistributionOptions): Distribution {
  const progress = new WeakMap<Member, Progress>();
  /** The digests of the set that was announced last: of its policies and of its schemas. */
  let inForce: string | undefined;
  let schemasDigest = "";
  /** Whether there has been a set. Even one that no worker could load must be sent to new workers, which would otherwise wait forever. */
  let wasTold = false;

  const of = (member: Member): Progress => {
    const known = progress.get(member) ?? { has: undefined, wholes: 0, wanted: undefined, arrived: undefined };
    progress.set(member, known);
    return known;
  };
  const nameOf = (digest: string, schemas: SchemaFiles | undefined): string => {
    wasTold = true;
    if (schemas !== undefined) schemasDigest = digestOf(JSON.stringify([...schemas]));
    return `${digest} ${schemasDigest}`;
  };
  const needsWhole = (member: Member): Promise<void> => {
    const one = of(member);
    if (one.wanted === undefined) {
      one.wanted = new Promise((resolve, reject) => void (one.arrived = { resolve, reject }));
      one.wanted.catch(() => undefined); // whoever waits for it gets the error
      void member.gone.then(() => one.arrived?.resolve());
      if (wasTold) wantWhole();
    }
    return one.wanted;
  };
  /**
   * Resolves to the error when a worker could not load the set; to undefined when it could, or is gone: its replacement starts with the
   * whole set.
   */
  const giveWhole = async (member: Member, name: string, { text, schemas }: SetText): Promise<unknown> => {
    const one = of(member);
    one.has = name;
    const turn = ++one.wholes;
    let trouble: unknown;
    try {
      await member.ask("set", { text, schemas });
    } catch (error) {
      if (!member.isGone()) trouble = error ?? new Error("nobody said why");
      if (one.wholes === turn) one.has = undefined;
    }
    if (one.wholes === turn) {
      if (trouble === undefined) one.arrived?.resolve();
      else one.arrived?.reject(trouble);
      one.wanted = one.arrived = undefined;
    }
    return trouble;
  };
  const giveChange = async (
    member: Member,
    before: string | undefined,
    name: string,
    change: Parameters<SetTaker["change"]>,
  ): Promise<void> => {
    const one = of(member);
    if (before === undefined || one.has !== before) return needsWhole(member);
    one.has = name;
    const { wholes } = one;
    try {
      await member.ask("change", { text: change[0], schemas: change[1] });
    } catch {
      if (member.isGone()) return;
      if (one.wholes === wholes) one.has = undefined;
      await needsWhole(member);
    }
  };

  return {
    join: needsWhole,
    load: async (text, schemas, digest) => {
      const name = nameOf(digest, schemas);
      const isNew = name !== inForce;
      inForce = name;
      // A worker that waits for the set gets it, even if it was sent the same set before.
      const receivers = members().filter((member) => of(member).has !== name || of(member).wanted !== undefined);
      const troubles = await Promise.all(receivers.map((member) => giveWhole(member, name, { text, schemas })));
      const [trouble] = troubles.filter((one) => one !== undefined);
      if (trouble === undefined) return isNew;
      if (!members().some((member) => of(member).has === name)) {
        if (inForce === name) inForce = undefined;
        throw trouble;
      }
      for (const [index, member] of receivers.entries()) if (troubles[index] !== undefined) failed(member, troubles[index]);
      return isNew;
    },
    change: async (text, schemas, digest) => {
      const before = inForce;
      inForce = nameOf(digest, schemas);
      const name = inForce;
      await Promise.all(members().map((member) => giveChange(member, before, name, [text, schemas, digest])));
      return true;
    },
  };
}
