/** Disables invalid policies in a store: plans, writes one batch, and reads the store again to verify it. */
import { errorsOf, type StoreReader, type StoreReading } from "./read.ts";
import { refusal } from "../../refusal.ts";
import { emptyBatch, type Store } from "../../store/store.ts";
import { planDisabling, type Disabled, type Plan } from "./plan.ts";

/** The result. */
export type Disabling =
  | { readonly kind: "disabled"; readonly policies: readonly Disabled[]; readonly after: StoreReading }
  | { readonly kind: "would disable"; readonly policies: readonly Disabled[] }
  | { readonly kind: "stuck"; readonly policies: Extract<Plan, { kind: "stuck" }>["files"] }
  | { readonly kind: "read-only"; readonly because: string }
  | { readonly kind: "busy"; readonly because: string };

/** How often it starts over when another process changes the store concurrently. */
const maxAttempts = 5;

/** Disables the policies that prevent the others from compiling; either all that is needed, or nothing. */
export async function disableInvalid(store: Store, reader: StoreReader, isDryRun: boolean): Promise<Disabling> {
  if (store.readOnly !== undefined) return { kind: "read-only", because: store.readOnly };
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { state, options } = await reader.read();
    const at = Date.now();
    const plan = planDisabling(state, store, at, options);
    if (plan.kind === "stuck") return { kind: "stuck", policies: plan.files };
    const { disabled: policies, batch } = plan;
    if (isDryRun) return { kind: "would disable", policies };
    if (batch.length > 0 && (await store.write({ ...emptyBatch, putPolicies: batch }, at)) === "stale") continue;
    const after = await reader.read();
    // Another process may have written in between; our own change was valid.
    if (errorsOf(after) > 0) throw refusal("the policies were disabled, but somebody else has changed the store since: run this again");
    return { kind: "disabled", policies, after };
  }
  return { kind: "busy", because: "somebody else keeps changing the same things: try again" };
}
