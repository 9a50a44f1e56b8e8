/** Changes a request a little: what a memory with too short a key would answer as the request before it. */
import type { AuxData, CheckInput, Principal, Resource } from "../../runtime/decide/input.ts";
import type { JsonObject, Value } from "../../runtime/cel/value.ts";
import type { Random } from "./random.ts";
import type { Batch, Settings } from "./requests.ts";
import {
  actions,
  attributes,
  kindsAsked,
  makeAttributes,
  manyRoles,
  principalIds,
  roles,
  scopes,
  scopesNowhere,
  versionsAsked,
} from "./vocabulary.ts";

/** Returns a batch that differs from another in a few places, or in none but that it is made of other objects. */
export function alter(random: Random, batch: Batch): Batch {
  const changes = random.weigh([
    [2, () => 0],
    [6, () => 1],
    [3, () => 2],
    [1, () => 4],
  ]);
  let altered = batch;
  for (let change = 0; change < changes; change++) altered = alterOnce(random, altered);
  return random.chance(0.5) ? apart(random, altered) : altered;
}

const alterOnce = (random: Random, batch: Batch): Batch =>
  random.weigh<Batch>([
    [6, () => eachInput(batch, (input) => ({ ...input, principal: principal(random, input.principal) }), random)],
    [6, () => oneInput(random, batch, (input) => ({ ...input, resource: resource(random, input.resource) }))],
    [3, () => oneInput(random, batch, (input) => ({ ...input, actions: names(random, input.actions, actions) }))],
    [2, () => eachInput(batch, (input) => ({ ...input, ...claims(random, input.auxData) }), random)],
    [2, () => ({ ...batch, settings: settings(random, batch.settings) })],
    [1, () => ({ ...batch, inputs: [...batch.inputs].reverse() })],
    [1, () => ({ ...batch, inputs: [...batch.inputs, random.pick(batch.inputs)] })],
    [1, () => ({ ...batch, inputs: batch.inputs.slice(0, 1 + random.whole(batch.inputs.length)) })],
  ]);

/** One principal asks about everything: changed once, so that it stays one. */
function eachInput(batch: Batch, change: (input: CheckInput) => CheckInput, random: Random): Batch {
  const [first] = batch.inputs;
  if (first === undefined) return batch;
  const { principal: who, auxData } = change(first);
  const inputs = batch.inputs.map((input): CheckInput => {
    const { auxData: _before, ...rest } = input;
    return { ...rest, principal: who, ...(auxData && { auxData }) };
  });
  // Who asks through the evaluator alone may bring several principals.
  const mixed = random.chance(0.15) ? inputs.map((input, at) => (random.chance(0.5) ? input : (batch.inputs[at] ?? input))) : inputs;
  return { ...batch, inputs: mixed };
}

function oneInput(random: Random, batch: Batch, change: (input: CheckInput) => CheckInput): Batch {
  const at = random.whole(batch.inputs.length);
  return { ...batch, inputs: batch.inputs.map((input, index) => (index === at ? change(input) : input)) };
}

function principal(random: Random, who: Principal): Principal {
  return random.weigh<Principal>([
    [3, () => ({ ...who, roles: names(random, who.roles, [...roles, ...roles, ...manyRoles.slice(0, 3)]) })],
    [3, () => ({ ...who, attr: object(random, who.attr) })],
    [1, () => ({ ...who, id: text(random, who.id, principalIds) })],
    [1, () => ({ ...who, ...place(random, who) })],
  ]);
}

function resource(random: Random, what: Resource): Resource {
  return random.weigh<Resource>([
    [4, () => ({ ...what, attr: object(random, what.attr) })],
    [1, () => ({ ...what, id: text(random, what.id, ["r1", "ann", "ann/1"]) })],
    [1, () => ({ ...what, kind: text(random, what.kind, kindsAsked) })],
    [2, () => ({ ...what, ...place(random, what) })],
  ]);
}

const place = (random: Random, of: Principal | Resource): Pick<Principal, "policyVersion" | "scope"> =>
  random.weigh<Pick<Principal, "policyVersion" | "scope">>([
    [2, () => ({ policyVersion: random.pick(versionsAsked) })],
    [2, () => ({ scope: random.pick(scopes) })],
    [1, () => ({ scope: random.pick(["", undefined, ...scopesNowhere]) })],
    [1, () => ({ scope: `${of.scope ?? ""}.` === "." ? "acme" : `.${of.scope}`.replace(/^\.\./, ".") })],
    [1, () => ({ scope: of.scope === undefined ? "nowhere" : `${of.scope}.${random.pick(["x", "hr", "uk"])}`.replace(/^\.+/, "") })],
  ]);

function settings(random: Random, before: Settings): Settings {
  return random.weigh<Settings>([
    [1, () => ({ ...before, lenientScopeSearch: !before.lenientScopeSearch })],
    [1, () => ({ ...before, strictEvaluation: !before.strictEvaluation })],
    [1, () => ({ ...before, defaultPolicyVersion: before.defaultPolicyVersion === "default" ? "v2" : "default" })],
    [1, () => ({ ...before, defaultScope: random.pick(["", "acme", ".", "acme.hr", ".acme", "nowhere"]) })],
  ]);
}

const longName = "n".repeat(70);
const oddNames = ["", "\u0000", ",", "|", '"', " ", "user,admin", "user|admin", "e\u0301", "é", longName, `${longName}.`, "1", "01"];

/** Another name from a list, or one that is nearly the same. */
const text = (random: Random, before: string, known: readonly string[]): string =>
  random.weigh<string>([
    [4, () => random.pick(known)],
    [1, () => `${before}${random.pick([" ", "x", "\u0000", longName])}`],
    [1, () => before.slice(0, -1) || "x"],
    [1, () => random.pick(oddNames) || "x"],
    [1, () => [...before].reverse().join("") || "x"],
  ]);

/** A list of names in another order, with one more, fewer or other: at least one, none twice. */
function names(random: Random, before: readonly string[], known: readonly string[]): readonly string[] {
  const at = random.whole(before.length);
  const changed = random.weigh<readonly string[]>([
    [2, () => [...before].reverse()],
    [2, () => [...before, text(random, before[at] ?? "", known)]],
    [2, () => before.filter((_, index) => index !== at)],
    [3, () => before.map((name, index) => (index === at ? text(random, name, known) : name))],
    [1, () => [before.join(",")]],
    [1, () => [...before, ...Array.from({ length: 9 }, (_, index) => `other_${index}`)]],
  ]);
  const unique = [...new Set(changed.filter((name) => name !== ""))];
  return unique.length === 0 ? ["user"] : unique;
}

/** Attributes of which one is other, gone, there besides, or which stand in another order. */
function object(random: Random, before: JsonObject = {}): JsonObject | undefined {
  const keys = Object.keys(before);
  const key = keys.length === 0 ? "state" : random.pick(keys);
  const others = Object.entries(before).filter(([name]) => name !== key);
  return random.weigh<JsonObject | undefined>([
    [1, () => undefined],
    [1, () => makeAttributes(random)],
    [1, () => Object.fromEntries(Object.entries(before).reverse())],
    [2, () => Object.fromEntries(others)],
    [6, () => Object.fromEntries(Object.entries(before).map(([name, value]) => [name, name === key ? other(random, value) : value]))],
    [2, () => Object.fromEntries([...others, [random.pick(attributes)[0], random.pick(attributes)[1](random)]])],
  ]);
}

/** A value that is nearly another. */
function other(random: Random, before: Value): Value {
  const options: (readonly [number, () => Value])[] = [
    [1, () => null],
    [1, () => random.pick(attributes)[1](random)],
    [1, () => [before]],
    [1, () => ({ state: before })],
  ];
  if (typeof before === "string")
    options.push(
      [2, () => `${before} `],
      [1, () => before.normalize("NFD")],
      [1, () => Number(before) || 0],
      [2, () => [...before].reverse().join("")],
    );
  if (typeof before === "number")
    options.push(
      [2, () => -before],
      [2, () => before + 1],
      [1, () => String(before)],
      [1, () => before + 2 ** 32],
      [1, () => -0],
      [1, () => before + 0.5],
    );
  if (typeof before === "boolean") options.push([4, () => !before], [1, () => String(before)], [1, () => Number(before)]);
  if (isList(before))
    options.push(
      [2, () => [...before].reverse()],
      [2, () => before.slice(1)],
      [1, () => [...before, ...before]],
      [2, () => before.map((item) => other(random, item))],
    );
  else if (typeof before === "object" && before !== null && Object.getPrototypeOf(before) === Object.prototype)
    options.push([3, () => object(random, before as JsonObject) ?? {}]); // such an object came from JSON
  return random.weigh(options);
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** Claims that are other, under another name, or gone. */
function claims(random: Random, before: AuxData | undefined): { readonly auxData?: AuxData } {
  const held = before?.jwt ?? before?.jwts?.["main"]?.claims;
  return random.weigh<{ readonly auxData?: AuxData }>([
    [1, () => ({})],
    [3, () => ({ auxData: { jwt: object(random, held) ?? {} } })],
    [2, () => ({ auxData: { jwts: { [random.pick(["main", "main", "other"])]: { claims: object(random, held) ?? {} } } } })],
  ]);
}

/** The same request in other objects; whoever shared one mostly still does. */
const apart = (random: Random, batch: Batch): Batch =>
  random.chance(0.7) ? structuredClone(batch) : { ...batch, inputs: batch.inputs.map((input) => structuredClone(input)) };
