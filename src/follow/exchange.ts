/** A store that is elsewhere may keep whoever asks it waiting: when it is asked, and when that has ended, is told. */
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
