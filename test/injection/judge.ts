/** Runs what has been compiled in every way that it can be run, and holds the answers against each other and against what the strings mean. */
import { parse } from "acorn";
import type { Compiled } from "../../compiler/index.ts";
import { explain } from "../../compiler/reference/decide.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import type { Decision, Evaluator } from "../../runtime/decide/decision.ts";
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import { refusalOf } from "../../runtime/sandbox/gate/index.ts";
import type { Realm } from "../../runtime/sandbox/realm.ts";
import { readBundle, writeBundle } from "../../src/bundle/index.ts";
import { isRefusal } from "../../src/refusal.ts";
import type { Wanted } from "./plant.ts";
import type { Grown } from "./trial.ts";

/** What was looked at. */
export interface Judged {
  readonly programs: number;
  readonly decisions: number;
  /** Answered by the realm from the text of a request; the others are no text that a request can say. */
  readonly asked: number;
  /** Why no bundle file holds the set, if none does. */
  readonly unwritten?: string;
}

const now = 1_709_208_000_123;
// What a compartment refuses wherever it stands, and what an engine could take for the end of a line or a comment.
const illTexts = /\bimport\s*(?:\(|\/[/*])|\beval\s*\(|<!--|-->|[\u2028\u2029]/;
const beyondAscii = /[^\n -~]/;

/** Programs that have been looked at already: units share them. */
const known = new Set<string>();

/** Holds a set to everything; throws with the first sentence that is not so. */
export function judge({ compiled, policies, questions, globals, settings }: Grown, realm: Realm): Judged {
  const programs = lookAtPrograms(compiled);
  const { bundle, policySet, modules } = compiled;
  const bytes = writtenBundle(bundle, policies);
  if (bytes.bytes !== undefined) {
    const read = readBundle(bytes.bytes, { kind: "anybody" }).content.bundle;
    if (JSON.stringify(read) !== JSON.stringify(bundle)) throw new Error("a bundle file reads back as something else");
  }

  const machine = load(bundle, evaluateInThisRealm);
  const people = load(readableBundle(bundle, new Map(modules.map(({ unit, readable }) => [unit.id, readable()]))), evaluateInThisRealm);
  realm.configure(settings);
  realm.load(JSON.stringify(bundle));

  const inputs = questions.map(({ input }) => input);
  const references = inputs.map((input, index) => {
    const asked: string[] = [];
    return { decision: explain(policySet, input, optionsOf(globals, true, asked), index), asked };
  });
  const told = references.map(({ decision }) => tell(decision));
  const quietly = references.map(({ decision }) => tell({ ...decision, evaluationErrors: [], effectivePolicies: new Map() }));
  const ways: readonly (readonly [name: string, evaluator: Evaluator, naming: boolean])[] = [
    ["the machine's print", machine, true],
    ["the machine's print, quietly", machine, false],
    ["the print for people", people, true],
  ];
  for (const [name, evaluator, naming] of ways) {
    const decisions = evaluator.check(inputs, optionsOf(globals, naming));
    decisions.forEach((decision, index) => {
      const [found, wanted] = [tell(decision), (naming ? told : quietly)[index]];
      if (found !== wanted)
        throw new Error(`${name} decides otherwise than the reference: ${found}, not ${wanted}: ${JSON.stringify(inputs[index])}`);
    });
  }
  let asked = 0;
  questions.forEach(({ input, wanted }, index) => {
    const reference = references[index];
    if (reference === undefined) return;
    if (wanted !== undefined) expectWanted(reference.decision, reference.asked, wanted, input);
    if (askRealm(realm, input, reference.decision)) asked++;
  });
  return { programs, decisions: questions.length * 4 + asked, asked, ...(bytes.refused !== undefined && { unwritten: bytes.refused }) };
}

/** Every program is a factory and nothing besides, in either print. */
function lookAtPrograms({ modules }: Compiled): number {
  let seen = 0;
  for (const { text, readable, unit } of modules) {
    const forPeople = readable();
    expectFactory(forPeople, `the print for people of ${unit.id}`);
    seen++;
    if (known.has(unit.shape)) continue;
    expectFactory(text, `the program of ${unit.id}`);
    const refused = refusalOf(text);
    if (refused !== undefined) throw new Error(`the gate refuses the program of ${unit.id}: ${refused}\n${text}`);
    if (beyondAscii.test(text)) throw new Error(`the program of ${unit.id} is more than printable ASCII\n${text}`);
    if (known.size < 200_000) known.add(unit.shape);
    seen++;
  }
  return seen;
}

function expectFactory(text: string, what: string): void {
  const ill = illTexts.exec(text)?.[0];
  if (ill !== undefined) throw new Error(`${what} has ${JSON.stringify(ill)} in it\n${text}`);
  const { body } = parse(text, { ecmaVersion: 2022, sourceType: "script" });
  const [statement, more] = body;
  if (more !== undefined || statement?.type !== "ExpressionStatement" || statement.expression.type !== "ArrowFunctionExpression")
    throw new Error(`${what} is not one function\n${text}`);
}

function writtenBundle(bundle: Bundle, policies: number): { readonly bytes?: Uint8Array; readonly refused?: string } {
  try {
    return { bytes: writeBundle({ bundle, schemas: new Map(), policies }) };
  } catch (error) {
    if (isRefusal(error) && error.message.includes("has a name that no bundle can hold"))
      return { refused: "a source attribute called __proto__" };
    throw error;
  }
}

/** The same units, with the programs that people read. */
const readableBundle = (bundle: Bundle, readable: ReadonlyMap<string, string>): Bundle => ({
  ...bundle,
  shapes: Object.fromEntries(readable),
  units: bundle.units.map((unit) => ({ ...unit, shape: unit.id, constants: [] })),
});

/** The options of a check; schemas that are asked for are noted. */
export const optionsOf = (globals: Grown["globals"], naming: boolean, asked: string[] = []): CheckOptions => ({
  now,
  globals,
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  strictEvaluation: false,
  evaluationErrors: naming,
  effectivePolicies: naming,
  schemas: {
    enforcement: "warn",
    validate: (_input, _source, ref) => {
      asked.push(ref);
      return [];
    },
  },
});

const tell = (decision: Decision): string =>
  JSON.stringify([
    [...decision.actions],
    decision.effectiveDerivedRoles,
    decision.outputs,
    decision.evaluationErrors.map(({ expression, message }) => [expression, message]),
    [...decision.effectivePolicies].toSorted(([left], [right]) => (left < right ? -1 : 1)),
  ]);

/** Holds a decision to what the strings mean. */
function expectWanted(decision: Decision, asked: readonly string[], wanted: Wanted, input: CheckInput): void {
  const action = [...decision.actions.values()][0];
  const fail = (what: string, found: unknown, meant: unknown): void => {
    if (JSON.stringify(found) !== JSON.stringify(meant))
      throw new Error(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(meant)}: ${JSON.stringify(input)} ${tell(decision)}`);
  };
  fail("the effect", action?.effect, wanted.effect);
  if (wanted.matchedPolicy !== undefined) fail("the policy", action?.matchedPolicy, wanted.matchedPolicy);
  if (wanted.outputs !== undefined)
    fail(
      "the output",
      decision.outputs.map(({ src, val }) => ({ src, val })),
      wanted.outputs,
    );
  if (wanted.derivedRoles !== undefined) fail("the derived roles", decision.effectiveDerivedRoles, wanted.derivedRoles);
  if (wanted.schemas !== undefined) fail("the schemas", asked, wanted.schemas);
  if (wanted.sourceAttributes !== undefined) {
    const [key, attributes] = wanted.sourceAttributes;
    fail("the source", decision.effectivePolicies.get(key), attributes);
  }
}

/** Asks the realm as a server does, and holds its answer to the reference's; answers whether a request can say this at all. */
function askRealm(realm: Realm, { principal, resource, actions, auxData }: CheckInput, reference: Decision): boolean {
  const auxDataOf = Object.keys(auxData?.jwt ?? {}).length > 0 ? { auxData: { jwt: { token: "-" } } } : {};
  const body = JSON.stringify({ requestId: "1", includeMeta: true, principal, resources: [{ resource, actions }], ...auxDataOf });
  let answer = realm.checkResources(body, "", now);
  // What a token says is the host's business.
  if (answer.startsWith("?")) {
    const { handle }: { readonly handle: number } = JSON.parse(answer.slice(1));
    answer = realm.resume(handle, JSON.stringify({ auxData: { jwt: auxData?.jwt ?? {} }, invalid: null, validation: [] }), "", now);
  }
  // Requests are Unicode, where half a pair is no character.
  if (answer.startsWith("3") && /\\ud[89a-f]/.test(body)) return false;
  if (!answer.startsWith("0")) throw new Error(`the realm fails: ${answer.slice(0, 300)}: ${body}`);
  const { results }: Reply = JSON.parse(answer.slice(1));
  const [{ outputs = [], ...result } = {}] = results ?? [];
  const effects = [...reference.actions].map(([action, { effect }]) => [action, effect]);
  const found = JSON.stringify([Object.entries(result.actions ?? {}), toldOutputs(outputs)]);
  const wanted = JSON.stringify([effects, toldOutputs(reference.outputs)]);
  if (found !== wanted) throw new Error(`the realm decides otherwise than the reference: ${found}, not ${wanted}: ${body}`);
  return true;
}

const toldOutputs = (outputs: Decision["outputs"]): unknown => outputs.map(({ src, action, val, error }) => [src, action, val, error]);

/** The parts of an answer that are looked at. */
interface Reply {
  readonly results?: readonly { readonly actions?: { readonly [action: string]: string }; readonly outputs?: Decision["outputs"] }[];
}
