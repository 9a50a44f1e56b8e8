/** What was read from a store compiles: the store is told, and what hinders it from noting that is a remark. */
import { messageOf } from "../refusal.ts";
import type { Store } from "./store.ts";

/** Tells the store that what was read last compiles. */
export async function acceptRead(store: Store, remark: (message: string) => void): Promise<void> {
  try {
    await store.accepted?.();
  } catch (error) {
    remark(messageOf(error));
  }
}
