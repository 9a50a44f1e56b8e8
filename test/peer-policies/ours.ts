/** Our answers without a server: the same reader, compiler, evaluator and writer in this process. */
import { compile } from "../../compiler/index.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import { writeReply } from "../../runtime/wire/reply.ts";
import { checkInputs, readCheckRequest } from "../../runtime/wire/request.ts";
import { enforceSchemas, schemaReferences } from "../../src/schemas/enforce.ts";
import { digest } from "../../src/texts/digest.ts";
import type { Reply } from "./server.ts";
import type { Json, Request, Store } from "./store.ts";
import { schemaTexts, textsOf } from "./write-files.ts";

/** What we say to requests, or why we do not take the store. */
export async function answerHere(store: Store, requests: readonly Request[]): Promise<readonly Reply[] | string> {
  const { compiled, diagnostics } = compile(textsOf(store, "ours"), { digest });
  if (compiled === undefined) return diagnostics.map(({ message }) => message).join("; ");
  const evaluator = load(compiled.bundle, evaluateInThisRealm);
  const { globals, ...settings } = store.settings;
  const schemas =
    store.schemaEnforcement === undefined
      ? undefined
      : await enforceSchemas(schemaReferences(compiled.bundle), { files: schemaTexts, places: { allowRefs: ["store"], allowedHosts: [] } });
  const options = {
    ...settings,
    globals: Object.fromEntries(Object.entries(globals).map(([name, value]) => [name, valueOf(value)])),
    now: Date.UTC(2026, 0, 1),
    strictEvaluation: false,
    evaluationErrors: false,
    effectivePolicies: false,
    ...(schemas !== undefined &&
      store.schemaEnforcement !== undefined && { schemas: { ...schemas, enforcement: store.schemaEnforcement } }),
  };
  return requests.map((request): Reply => {
    const read = readCheckRequest(JSON.stringify(request), { maxActionsPerResource: 50, maxResourcesPerRequest: 50 });
    if (read.kind === "refusal") return { status: 400, body: read.message };
    const text = writeReply(read, evaluator.check(checkInputs(read, undefined), options), settings, "call");
    // A true edge: the reply is JSON.
    return { status: 200, body: JSON.parse(text) as Json };
  });
}

/** A global as the configuration file gives it: whole numbers are ints. */
function valueOf(value: Json): Value {
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(valueOf);
  if (typeof value === "object" && value !== null) throw new Error("the globals of this run are scalars and lists");
  return value;
}
