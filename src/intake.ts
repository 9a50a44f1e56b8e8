/** Loads policy sets into the realm one after the other, each in small steps, while the one before goes on answering. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Realm } from "../runtime/sandbox/realm.ts";
import { refusal } from "./refusal.ts";
import { openSerialQueue } from "./serial-queue.ts";

/** The way in. */
export interface Intake {
  /**
   * Puts a bundle, or a change, in force when those before it have been; `inForce` is called at that very moment. Rejects,
   * and keeps what was, when it cannot be loaded.
   */
  readonly take: (kind: "load" | "change", text: string | readonly string[], inForce: () => void) => Promise<void>;
  /** What is not in force yet will not be. */
  readonly close: () => void;
}

/** How long checks may be kept waiting at a time, in milliseconds. */
const turnMilliseconds = 2;

/** Opens it for a realm in which nothing is in force. */
export function openIntake(realm: Pick<Realm, "begin" | "goOn">): Intake {
  const { inTurn } = openSerialQueue();
  /** There is nobody to answer until something is in force. */
  let isFirst = true;
  let closed = false;
  const goOn = (): boolean => {
    const end = performance.now() + (isFirst ? Number.POSITIVE_INFINITY : turnMilliseconds);
    do if (realm.goOn()) return true;
    while (performance.now() < end);
    return false;
  };
  const take: Intake["take"] = async (kind, text, inForce) => {
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
    take: (...set) => inTurn(() => take(...set)),
    close: () => void (closed = true),
  };
}
