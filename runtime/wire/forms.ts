/** The forms in which a check is asked and answered: each reads to the same request, and writes its own reply. */
import type { Decision } from "../decide/decision.ts";
import { readBatchRequest, writeBatchReply } from "./check-resource-batch.ts";
import { readSetRequest, writeSetReply } from "./check-resource-set.ts";
import type { Refusal } from "./refusal.ts";
import { writeReply, type Defaults } from "./reply.ts";
import { readCheckRequest, type CheckRequest, type RequestLimits } from "./request.ts";

/** The call that a form belongs to. */
export type Form = "CheckResources" | "CheckResourceSet" | "CheckResourceBatch";

interface FormOfCheck {
  /** Reads the JSON text of a request, or says everything that is wrong with it. */
  readonly read: (text: string, limits: RequestLimits) => CheckRequest | Refusal;
  /** Writes the JSON text of the reply. */
  readonly write: (request: CheckRequest, decisions: readonly Decision[], defaults: Defaults, callId: string) => string;
}

/** Every form. */
export const forms: { readonly [Name in Form]: FormOfCheck } = {
  CheckResources: { read: readCheckRequest, write: writeReply },
  CheckResourceSet: { read: (text, limits) => readCheckRequest(text, limits, readSetRequest), write: writeSetReply },
  CheckResourceBatch: { read: (text, limits) => readCheckRequest(text, limits, readBatchRequest), write: writeBatchReply },
};

/** Says whether a text names a form. */
export const isForm = (name: string): name is Form => Object.hasOwn(forms, name);
