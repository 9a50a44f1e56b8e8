/** Notifies a store that what was read from it compiles. If the store cannot record that, the reason is only a remark. */
import { messageOf } from "../refusal.ts";
import type { Store } from "./store.ts";

/** Notifies the store that what was read last compiles. */
export async function acceptRead(store: Store, remark: (message: string) => void): Promise<void> {
  try {
    await store.accepted?.();
  } catch (error) {
    remark(messageOf(error));
  }
}
