/** A store of compiled policies -> sets, again and again: the counterpart of compile-loop.ts where nothing is compiled here. */
import { invariant } from "../runtime/cel/error.ts";
import type { Loop, LoopOptions } from "./compile-loop.ts";
import type { BundleStore } from "./store/bundle-store.ts";

/** What is followed, and who is told. */
export type BundleLoopOptions = Omit<LoopOptions, "store"> & { readonly store: BundleStore };

/** Starts to follow a bundle; the first outcome comes without any change. */
export function followBundle(_options: BundleLoopOptions): Loop {
  invariant(false, "the bundle store opens");
}
