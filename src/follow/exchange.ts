/** Reports when a remote store is asked, and when it has answered: it may keep us waiting for long. */
import type { StoreEvent } from "../observe/events.ts";

/** Returns the same store, of whose readings `observe` is told. */
export function tellReadings<S extends { readonly read: (thorough?: boolean) => Promise<unknown> }>(
  store: S,
  observe: (event: StoreEvent) => void,
): S {
  const read = async (thorough?: boolean): Promise<unknown> => {
    observe({ kind: "asked" });
    try {
      return await store.read(thorough);
    } finally {
      observe({ kind: "answered" });
    }
  };
  return { ...store, read };
}
