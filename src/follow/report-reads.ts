/** Reports when a request to a remote store begins and when it has ended, since it may take long. */
import type { StoreEvent } from "../observe/events.ts";

/** Returns the same store, with its readings reported to `observe`. */
export function reportReads<S extends { readonly read: (thorough?: boolean) => Promise<unknown> }>(
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
