/** The API calls that check, each with its reader and its writer; all readers return the same `CheckRequest`. */
import type { Decision } from "../decide/decision.ts";
import { readBatchRequest, writeBatchReply } from "./check-resource-batch.ts";
import { readSetRequest, writeSetReply } from "./check-resource-set.ts";
import { writeMessageReply } from "./message-reply.ts";
import { readCheckMessage } from "./message-request.ts";
import type { Refusal } from "./refusal.ts";
import { writeReply, type Defaults } from "./reply.ts";
import { readCheckRequest, type CheckRequest, type RequestLimits } from "./request.ts";

/** The call, with request and reply as JSON text. */
export type TextForm = "CheckResources" | "CheckResourceSet" | "CheckResourceBatch";
/** CheckResources also exists as protobuf bytes, one byte a character. */
export type Form = TextForm | "CheckResources message";

interface FormOfCheck<Refused> {
  /**
   * Reads a request, or returns everything wrong with it. For protobuf bytes: undefined instead, and the request must
   * be read as JSON text.
   */
  readonly read: (text: string, limits: RequestLimits) => CheckRequest | Refused;
  /** Writes the reply: JSON text, or for protobuf what `writeMessageReply` returns. */
  readonly write: (request: CheckRequest, decisions: readonly Decision[], defaults: Defaults, callId: string) => string;
}

type Forms = { readonly [Name in TextForm]: FormOfCheck<Refusal> } & { readonly "CheckResources message": FormOfCheck<undefined> };

export const forms: Forms = {
  CheckResources: { read: readCheckRequest, write: writeReply },
  CheckResourceSet: { read: (text, limits) => readCheckRequest(text, limits, readSetRequest), write: writeSetReply },
  CheckResourceBatch: { read: (text, limits) => readCheckRequest(text, limits, readBatchRequest), write: writeBatchReply },
  "CheckResources message": { read: readCheckMessage, write: writeMessageReply },
};

/** Whether a string names one of the forms. */
export const isForm = (name: string): name is Form => Object.hasOwn(forms, name);
