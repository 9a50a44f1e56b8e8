/** Conditions that hold for one string and no other: as literal, key, element, pattern, constant, variable, global, claim. */
import type { Value } from "../../runtime/cel/value.ts";
import type { Random } from "../agree/random.ts";
import { written, whole, type Hole, type Part, type Slot } from "./holes.ts";
import { pickBytesStyle, pickStyle } from "./literal.ts";
import { identifier, nearMiss, oneLine, type Ground } from "./plant.ts";

/** What a request says. */
export interface Attributes {
  readonly resource: Map<string, Value>;
  readonly principal: Map<string, Value>;
  readonly claims: Map<string, Value>;
}

/** One condition. */
export interface Condition {
  readonly expression: Hole;
  readonly constants: readonly (readonly [name: Hole, value: Part])[];
  readonly variables: readonly (readonly [name: Hole, value: Part])[];
  /** Makes it hold. */
  readonly meet: (attributes: Attributes) => void;
  /** Makes it not hold, by something that is nearly the string. */
  readonly miss?: (attributes: Attributes) => void;
}

type Maker = (ground: Ground, name: string) => Condition;

const on = 1;
const object = (key: string, value: Value): Value => Object.fromEntries([[key, value]]);

/** A literal compared with an attribute, in some way that only equal texts pass. */
const compared =
  (position: string, ways: readonly ((literal: string, name: string) => string)[], bytes = false): Maker =>
  ({ random, slot }, name) => {
    const literal = slot(position, { whole: true });
    const style = bytes ? pickBytesStyle(random) : pickStyle(random);
    const way = random.pick(ways);
    return {
      expression: written([literal], () => way(style(literal.text), name)),
      constants: [],
      variables: [],
      meet: ({ resource }) => void resource.set(name, literal.text),
      miss: ({ resource }) => void resource.set(name, nearMiss(random, literal.text)),
    };
  };

const equalities: readonly ((literal: string, name: string) => string)[] = [
  (literal, name) => `R.attr.${name} == ${literal}`,
  (literal, name) => `${literal} == R.attr["${name}"]`,
  (literal, name) => `!(R.attr.${name} != ${literal})`,
  (literal, name) => `R.attr.${name} in [${literal}, "nobody says this"]`,
  (literal, name) => `R.attr.${name} in [${literal}]`,
  (literal, name) => `[R.attr.${name}].exists(each, each == ${literal})`,
  (literal, name) => `(${literal} + ".") == (R.attr.${name} + ".")`,
  (literal, name) => `{"only": ${literal}}.only == R.attr.${name}`,
  (literal, name) => `R.attr.${name}.startsWith(${literal}) && size(R.attr.${name}) == size(${literal})`,
  (literal, name) => `R.attr.${name}.contains(${literal}) && ${literal}.contains(R.attr.${name})`,
  (literal, name) => `${literal}.endsWith(R.attr.${name}) && R.attr.${name}.endsWith(${literal})`,
  (literal, name) => `"".format([]) + R.attr.${name} == (true ? ${literal} : "")`,
];
const byteEqualities: typeof equalities = [
  (literal, name) => `bytes(R.attr.${name}) == ${literal}`,
  (literal, name) => `${literal} == bytes(R.attr.${name})`,
  (literal, name) => `string(${literal}) == R.attr.${name}`,
];
const keys: typeof equalities = [
  (literal, name) => `{${literal}: 1}[R.attr.${name}] == 1`,
  (literal, name) => `R.attr.${name} in {${literal}: true, "nobody says this": false}`,
  (literal, name) =>
    `{"nobody says this": 2, ${literal}: R.attr.${name}}[${literal}] == R.attr.${name} && R.attr.${name} in {${literal}: 0}`,
];
const elements: typeof equalities = [
  (literal, name) => `${literal} in [R.attr.${name}]`,
  (literal, name) => `[${literal}].hasIntersection([R.attr.${name}])`,
];

/** A name that the text itself gives to an attribute. */
const indexed =
  (position: string, side: keyof Attributes, way: (literal: string) => string): Maker =>
  ({ random, slot }) => {
    const literal = slot(position, { whole: true, unique: (text) => text, among: side });
    const style = pickStyle(random);
    return {
      expression: written([literal], () => way(style(literal.text))),
      constants: [],
      variables: [],
      meet: (attributes) => void attributes[side].set(literal.text, on),
      miss: (attributes) => void attributes[side].set(nearMiss(random, literal.text), on),
    };
  };

/** A pattern that only this text matches. */
const matching: Maker = ({ random, slot }, name) => {
  const literal = slot("a regular expression", { whole: true });
  const style = pickStyle(random);
  const pattern = (): string =>
    `^${Array.from(literal.text, (each) => (/\w/.test(each) ? each : `\\x{${(each.codePointAt(0) ?? 0).toString(16)}}`)).join("")}$`;
  return {
    expression: written([literal], () => `R.attr.${name}.matches(${literal.text.length > 300 ? style("^w.*") : style(pattern())})`),
    constants: [],
    variables: [],
    meet: ({ resource }) => void resource.set(name, literal.text.length > 300 ? "w" : literal.text),
    miss: ({ resource }) => void resource.set(name, literal.text.length > 300 ? "v" : nearMiss(random, literal.text)),
  };
};

/** Several literals, in their order. */
const listed: Maker = ({ random, slot }, name) => {
  const literals = random.several(2, 5, () => slot("an element of a list", { whole: true }));
  const style = pickStyle(random);
  const missed = random.whole(literals.length);
  return {
    expression: written(literals, () => `[${literals.map(({ text }) => style(text)).join(", ")}] == R.attr.${name}`),
    constants: [],
    variables: [],
    meet: ({ resource }) =>
      void resource.set(
        name,
        literals.map(({ text }) => text),
      ),
    miss: ({ resource }) =>
      void resource.set(
        name,
        literals.map(({ text }, at) => (at === missed ? nearMiss(random, text) : text)),
      ),
  };
};

/** A constant whose name, key and value are strings. */
const constant: Maker = ({ random, slot }, name) => {
  const called = slot("the name of a constant", { form: identifier, unique: (text) => text });
  const key = slot("a key of a constant", { whole: true });
  const value = slot("the value of a constant", { whole: true });
  const style = pickStyle(random);
  return {
    expression: written([called, key], () => `C.${called.text}[${style(key.text)}][0] == R.attr.${name}`),
    constants: [[whole(called), { kind: "entries", of: [[whole(key), [whole(value)]]] }]],
    variables: [],
    meet: ({ resource }) => void resource.set(name, value.text),
    miss: ({ resource }) => void resource.set(name, nearMiss(random, value.text)),
  };
};

/** A variable whose name and expression are strings. */
const variable: Maker = ({ random, slot }, name) => {
  const called = slot("the name of a variable", { form: identifier, unique: (text) => text });
  const value = slot("the value of a variable", { whole: true });
  const style = pickStyle(random);
  return {
    expression: written([called], () => `${random.chance(0.5) ? "V" : "variables"}.${called.text} == R.attr.${name}`),
    constants: [],
    variables: [[whole(called), written([value], () => style(value.text))]],
    meet: ({ resource }) => void resource.set(name, value.text),
    miss: ({ resource }) => void resource.set(name, nearMiss(random, value.text)),
  };
};

/** A global whose name and value are strings; the value is whatever a configuration may say. */
const global: Maker = ({ random, slot, globals }, name) => {
  const called = slot("the name of a global", { form: { ...identifier, isMeaning: true }, unique: (text) => text });
  const value: Slot = slot("the value of a global", { whole: true });
  return {
    expression: written([called], () => {
      globals.set(called.text, value.text);
      return `G.${called.text} == R.attr.${name}`;
    }),
    constants: [],
    variables: [],
    meet: ({ resource }) => void resource.set(name, value.text),
    miss: ({ resource }) => void resource.set(name, nearMiss(random, value.text)),
  };
};

/** A name behind a dot. */
const field: Maker = ({ random, slot }) => {
  const called = slot("a field", { form: { ...identifier, start: "", isMeaning: true }, unique: (text) => text, among: "resource" });
  return {
    expression: written([called], () => `R.attr.${called.text} == 1`),
    constants: [],
    variables: [],
    meet: ({ resource }) => void resource.set(called.text, on),
    miss: ({ resource }) => void resource.set(nearMiss(random, called.text), on),
  };
};

/** What stands behind an expression. */
const comment: Maker = ({ slot }, name) => {
  const text = slot("a comment", { form: oneLine });
  return {
    expression: written([text], () => `R.attr.${name} == 1 //${text.text}`),
    constants: [],
    variables: [],
    meet: ({ resource }) => void resource.set(name, on),
    miss: ({ resource }) => void resource.set(name, 2),
  };
};

const within: Maker = ({ random, slot }, name) => {
  const literal = slot("a key of an attribute's map", { whole: true });
  const style = pickStyle(random);
  const way = random.pick([
    (text: string) => `${text} in P.attr.${name}`,
    (text: string) => `P.attr.${name}[${text}] == 1`,
    (text: string) => `P.attr.${name}[?${text}].orValue(0) == 1`,
    (text: string) => `P.attr.${name}.exists(key, key == ${text})`,
  ]);
  return {
    expression: written([literal], () => way(style(literal.text))),
    constants: [],
    variables: [],
    meet: ({ principal }) => void principal.set(name, object(literal.text, on)),
    miss: ({ principal }) => void principal.set(name, object(nearMiss(random, literal.text), on)),
  };
};

const makers: readonly (readonly [weight: number, make: Maker])[] = [
  [6, compared("a literal", equalities)],
  [2, compared("a bytes literal", byteEqualities, true)],
  [2, compared("a key of a map", keys)],
  [2, compared("an element of a list", elements)],
  [2, indexed("an attribute of the resource", "resource", (literal) => `R.attr[${literal}] == 1`)],
  [1, indexed("an attribute of the principal", "principal", (literal) => `request.principal.attr[${literal}] == 1.0`)],
  [1, indexed("a claim", "claims", (literal) => `request.auxData.jwt[${literal}] == 1`)],
  [2, listed],
  [1, matching],
  [1, constant],
  [1, variable],
  [1, global],
  [1, field],
  [1, comment],
  [2, within],
];

/** Makes one; its attributes are called `name` and nothing else's are. */
export const makeCondition = (ground: Ground, name: string): Condition =>
  ground.random.weigh(makers.map(([weight, make]) => [weight, () => make(ground, name)] as const));

/** Nothing yet. */
export const noAttributes = (): Attributes => ({ resource: new Map(), principal: new Map(), claims: new Map() });

/** As a request says them. */
export const said = (map: ReadonlyMap<string, Value>): { readonly [name: string]: Value } => Object.fromEntries(map);

/** Makes all hold but one, if it is said which. */
export function attributesFor(conditions: readonly Condition[], missed?: Condition): Attributes {
  const attributes = noAttributes();
  // What misses comes first: it must not take away what another has said.
  missed?.miss?.(attributes);
  for (const each of conditions) if (each !== missed) each.meet(attributes);
  return attributes;
}

/** Chooses one that can be missed. */
export const pickMissed = (random: Random, conditions: readonly Condition[]): Condition | undefined => {
  const able = conditions.filter(({ miss }) => miss !== undefined);
  return able.length === 0 ? undefined : random.pick(able);
};
