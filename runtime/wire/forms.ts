/** The forms in which a check is asked and answered: each reads to the same request, and writes its own reply. */
import type { Decision } from "../decide/decision.ts";
import { readBatchRequest, writeBatchReply } from "./check-resource-batch.ts";
import { readSetRequest, writeSetReply } from "./check-resource-set.ts";
import { writeMessageReply } from "./message-reply.ts";
import { readCheckMessage } from "./message-request.ts";
import type { Refusal } from "./refusal.ts";
import { writeReply, type Defaults } from "./reply.ts";
import { readCheckRequest, type CheckRequest, type RequestLimits } from "./request.ts";

/** The call that a form belongs to. */
export type TextForm = "CheckResources" | "CheckResourceSet" | "CheckResourceBatch";
/** The first of them also as the bytes of its message, one a character of a text. */
export type Form = TextForm | "CheckResources message";

interface FormOfCheck<Refused> {
  /** Reads the text of a request, or says everything that is wrong with it; of a message, a request that holds or nothing. */
  readonly read: (text: string, limits: RequestLimits) => CheckRequest | Refused;
  /** Writes the JSON text of the reply, or of a message as `writeMessageReply` does. */
  readonly write: (request: CheckRequest, decisions: readonly Decision[], defaults: Defaults, callId: string) => string;
}

type Forms = { readonly [Name in TextForm]: FormOfCheck<Refusal> } & { readonly "CheckResources message": FormOfCheck<undefined> };

/** Every form. */
export const forms: Forms = {
  CheckResources: { read: readCheckRequest, write: writeReply },
  CheckResourceSet: { read: (text, limits) => readCheckRequest(text, limits, readSetRequest), write: writeSetReply },
  CheckResourceBatch: { read: (text, limits) => readCheckRequest(text, limits, readBatchRequest), write: writeBatchReply },
  "CheckResources message": { read: readCheckMessage, write: writeMessageReply },
};

/** Says whether a text names a form. */
export const isForm = (name: string): name is Form => Object.hasOwn(forms, name);
