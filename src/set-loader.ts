/** Loads policy sets into the sandbox one after the other, each in small steps, while the previous one continues to decide. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Realm } from "../runtime/sandbox/realm.ts";
import { refusal } from "./refusal.ts";
import { openSerialQueue } from "./serial-queue.ts";

/** Loads policy sets. */
export interface SetLoader {
  /**
   * Loads a bundle or a change after those before it; `inForce` is called synchronously when it is switched to. Rejects when it cannot
   * be loaded, and keeps the previous one.
   */
  readonly load: (kind: "load" | "change", text: string | readonly string[], inForce: () => void) => Promise<void>;
  /** Drops what is not in force yet. */
  readonly close: () => void;
}

/** How many milliseconds a step may delay checks. */
const turnMilliseconds = 2;

/** Opens it for a sandbox without policies. */
export function openSetLoader(realm: Pick<Realm, "begin" | "goOn">): SetLoader {
  const { inTurn } = openSerialQueue();
  /** Until something is in force there are no checks to delay. */
  let isFirst = true;
  let closed = false;
  const goOn = (): boolean => {
    const end = performance.now() + (isFirst ? Number.POSITIVE_INFINITY : turnMilliseconds);
    do if (realm.goOn()) return true;
    while (performance.now() < end);
    return false;
  };
  const take: SetLoader["load"] = async (kind, text, inForce) => {
    const demandOpen = (): void => {
      if (closed) throw refusal("the server is stopping: nothing new comes into force");
    };
    demandOpen();
    realm.begin(kind, typeof text === "string" ? [text] : text);
    while (!goOn()) {
      await nextTurn();
      demandOpen();
    }
    isFirst = false;
    inForce();
  };
  return {
    load: (...set) => inTurn(() => take(...set)),
    close: () => void (closed = true),
  };
}
