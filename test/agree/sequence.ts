/** Long sequences of requests that are nearly alike, to one evaluator that stays and whose policies change: what it remembers must never answer another request. */
import { compile } from "../../compiler/index.ts";
import type { PolicySet } from "../../compiler/link/policy-set.ts";
import { openCompileCache, type CompileCache } from "../../compiler/cache.ts";
import { explain } from "../../compiler/reference/decide.ts";
import type { Source } from "../../compiler/source.ts";
import type { Bundle, BundleChange } from "../../runtime/bundle.ts";
import type { Decision } from "../../runtime/decide/decision.ts";
import type { CheckOptions } from "../../runtime/decide/input.ts";
import { change, evaluateInThisRealm, load, type Loaded } from "../../runtime/load.ts";
import { readBundle, readInSteps } from "../../runtime/read-bundle.ts";
import { bundleChange } from "../../src/compile/bundle-change.ts";
import { bundleInPieces, changeInPieces } from "../../src/texts/in-pieces.ts";
import { alter } from "./alter.ts";
import type { Document } from "./document.ts";
import { accepts, readable, sourcesOf } from "./judge.ts";
import { makePolicies } from "./policies.ts";
import { openRandom, type Random } from "./random.ts";
import { makeBatch, optionsOf, type Batch } from "./requests.ts";
import { digest } from "./variants.ts";
import { globals } from "./vocabulary.ts";

/** What is counted, over all sequences. */
export interface Counts {
  sequences: number;
  calls: number;
  decisions: number;
  allowed: number;
  reloads: number;
  /** Sets that do not compile. */
  refused: number;
}

export const nothingCounted = (): Counts => ({ sequences: 0, calls: 0, decisions: 0, allowed: 0, reloads: 0, refused: 0 });

/** Where a sequence went wrong, and how. */
export interface SequenceFinding extends Disagreement {
  readonly sequence: number;
  readonly call: number;
  readonly documents: readonly Document[];
}

interface Disagreement {
  readonly what: string;
  readonly asked?: unknown;
  readonly reference?: unknown;
  readonly generated?: unknown;
}

/** A set, as one evaluator after the other was made of it. */
interface InForce {
  readonly documents: readonly Document[];
  readonly sources: readonly Source[];
  readonly policySet: PolicySet;
  readonly bundle: Bundle;
  readonly loaded: Loaded;
}

type Json = { readonly [key: string]: unknown };

/** Plays one sequence of so many calls; answers the first difference. */
export function playSequence(seed: number, sequence: number, calls: number, counts: Counts): SequenceFinding | undefined {
  const random = openRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(sequence + 1, 0x85ebca6b));
  const cache = openCompileCache();
  let now = start(makePolicies(random, accepts), cache);
  if (now === undefined) {
    counts.refused++;
    return undefined;
  }
  counts.sequences++;
  const { documents } = now;
  const first = random.several(3, 6, () => makeBatch(random, documents));
  const batches = [...first];
  for (let call = 0; call < calls; call++) {
    const at = random.whole(batches.length);
    if (random.chance(0.01)) {
      const next = reload(random, now, cache);
      if (next !== undefined && "what" in next) return { ...next, sequence, call, documents: now.documents };
      if (next !== undefined) {
        counts.reloads++;
        now = next;
        // Only of a set with policies of a kind can be asked at random.
        if (now.policySet.resourcePolicies.length > 0 && random.chance(0.5)) batches[at] = makeBatch(random, now.documents);
      }
    }
    const batch = alter(random, batches[at] ?? random.pick(first));
    // A walk away from where it began, and sometimes back.
    if (random.chance(0.3)) batches[at] = batch;
    else if (random.chance(0.1)) batches[at] = random.pick(first);
    const found = ask(random, now, batch, counts);
    if (found !== undefined) return { ...found, sequence, call, documents: now.documents };
  }
  return undefined;
}

function start(documents: readonly Document[], cache: CompileCache): InForce | undefined {
  const sources = sourcesOf(documents);
  const { compiled } = compile(sources, { digest, cache });
  if (compiled === undefined) return undefined;
  const loaded = load(readBundle(...bundleInPieces(compiled.bundle)), evaluateInThisRealm);
  return { documents, sources, policySet: compiled.policySet, bundle: compiled.bundle, loaded };
}

/** The same set with a few documents gone, come back, or of another making; undefined where that does not compile. */
function reload(random: Random, before: InForce, cache: CompileCache): InForce | Disagreement | undefined {
  const others = makePolicies(random, accepts);
  let documents = [...before.documents];
  for (const other of random.some(1, 3, others)) {
    const how = random.whole(4);
    const at = random.whole(documents.length);
    if (how === 0) documents = documents.filter((_, index) => index !== at);
    else if (how === 1) documents.push(other);
    else if (how === 2) documents = documents.map((document) => (nameOf(document) === nameOf(other) ? other : document));
    else documents = documents.map((document, index) => (index === at ? edited(random, document) : document));
  }
  // Documents keep their paths, and what did not change is the same source.
  const sources = sourcesOf(documents).map(
    (source) => before.sources.find((known) => known.path === source.path && known.text === source.text) ?? source,
  );
  const again = compile(sources, { digest, cache });
  const fresh = compile(sourcesOf(documents), { digest });
  const partsOf = ({ compiled, diagnostics }: typeof again) => ({
    bundle: compiled?.bundle,
    diagnostics: diagnostics.map(({ code, message, severity }) => ({ code, message, severity })),
  });
  if (!areSame(partsOf(fresh), partsOf(again)))
    return { what: "what is compiled with a memory", reference: partsOf(fresh).diagnostics, generated: partsOf(again).diagnostics };
  const { compiled } = again;
  if (compiled === undefined || fresh.compiled === undefined) return undefined;
  const loaded = random.chance(0.75)
    ? change(readChange([...changeInPieces(bundleChange(before.bundle, compiled.bundle))]), evaluateInThisRealm, before.loaded)
    : load(readBundle(...bundleInPieces(compiled.bundle)), evaluateInThisRealm, random.chance(0.7) ? before.loaded : undefined);
  return { documents, sources, policySet: fresh.compiled.policySet, bundle: compiled.bundle, loaded };
}

function readChange(pieces: readonly string[]): BundleChange {
  const reading = readInSteps<BundleChange>(pieces);
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
  }
}

/** What a document is called, whatever it says. */
function nameOf(document: Document): string {
  const [kind, content] = Object.entries(document).find(([, value]) => typeof value === "object") ?? ["", {}];
  const { resource, principal, role, name, version, scope } = content as { readonly [key: string]: unknown };
  return JSON.stringify([kind, resource, principal, role, name, version ?? "default", scope ?? ""]);
}

/** A document with an effect turned round, a role or an action replaced: small changes inside. */
function edited(random: Random, document: Document): Document {
  const text = JSON.stringify(document);
  const [from, to] = random.pick([
    ["EFFECT_ALLOW", "EFFECT_DENY"],
    ["EFFECT_DENY", "EFFECT_ALLOW"],
    ['"user"', '"admin"'],
    ['"view"', '"edit"'],
    ['"*"', '"user"'],
    ["OPEN", "DRAFT"],
    ["acme", "beta"],
    ['"acme.hr"', '"acme.it"'],
    ["true", "false"],
    ["<", ">"],
    [" 1", " 2"],
    ["album", "doc:9x"],
  ] as const);
  const parts = text.split(from);
  if (parts.length === 1) return document;
  const at = 1 + random.whole(parts.length - 1);
  return JSON.parse(parts.slice(0, at).join(from) + to + parts.slice(at).join(from)) as Document;
}

const instants = [1_709_208_000_123, 1_709_208_000_124, 0, -1, 4_102_444_800_000, 1_709_208_000_123.5];
const otherGlobals = [globals, { ...globals }, { ...globals, limit: 6n }, { ...globals, environment: "prod" }, {}];

function ask(random: Random, { policySet, loaded }: InForce, batch: Batch, counts: Counts): Disagreement | undefined {
  const naming = random.chance(0.4);
  const considering = random.chance(0.4);
  const telling = random.chance(0.5);
  const given: CheckOptions = {
    ...optionsOf(batch.settings, naming),
    effectivePolicies: considering,
    ...(random.chance(0.2) && { now: random.pick(instants) }),
    ...(random.chance(0.1) && { nowOffset: 3600 }),
    ...(random.chance(0.15) && { globals: random.pick(otherGlobals) }),
  };
  const options: CheckOptions = { ...given, effectiveDerivedRoles: telling };
  const part = (decision: Decision): Json =>
    readable({
      ...decision,
      ...(!naming && { evaluationErrors: [] }),
      ...(!considering && { effectivePolicies: new Map() }),
      ...(!telling && { effectiveDerivedRoles: [] }),
    });
  counts.calls++;
  const asked = { batch, options: { ...options, schemas: batch.settings.schemas } };
  const expected = batch.inputs.map((input, index) => explain(policySet, input, given, index));
  let answered: readonly Decision[];
  try {
    answered = loaded.check(batch.inputs, options);
  } catch (error) {
    return { what: "check throws", asked, generated: String(error) };
  }
  for (const [index, decision] of expected.entries()) {
    counts.decisions += decision.actions.size;
    for (const { effect } of decision.actions.values()) if (effect === "EFFECT_ALLOW") counts.allowed++;
    const [input, answer] = [batch.inputs[index], answered[index]];
    if (input === undefined || answer === undefined) return { what: `input ${index} has no answer`, asked };
    if (!areSame(part(decision), part(answer)))
      return { what: `input ${index}`, asked, reference: part(decision), generated: part(answer) };
    if (random.chance(0.5)) continue;
    const action = random.pick(input.actions);
    const alone = { ...input, actions: [action] };
    const isAllowed = explain(policySet, alone, given, index).actions.get(action)?.effect === "EFFECT_ALLOW";
    counts.decisions++;
    if (loaded.allows(alone, { ...options, effectiveDerivedRoles: false }) !== isAllowed)
      return { what: `whether input ${index} may ${action}`, asked, reference: isAllowed, generated: !isAllowed };
  }
  return undefined;
}

const areSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** A finding as text: integers of globals are written as they are in CEL. */
export const printSequenceFinding = (finding: SequenceFinding): string =>
  JSON.stringify(finding, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : Object.is(value, -0) ? "-0" : value), 1);
