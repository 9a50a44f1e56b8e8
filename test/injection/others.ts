/** Policies about roles, sets that others import, and schemas, with strings at every position that has one. */
import { sanitise } from "../../compiler/policy/names.ts";
import { attributesFor, makeCondition, type Attributes } from "./conditions.ts";
import { entries, whole, written, type Slot } from "./holes.ts";
import { pickStyle } from "./literal.ts";
import { document, inputOf, kindSlot, match, namesOf, roleSlot } from "./parts.ts";
import { isNoneOf, literally, nearMiss, plainName, ruleName, setName, starless, type Ground, type Plant, type Question } from "./plant.ts";

/** Derived roles, and sets of names, which others import. */
export function importPlant(ground: Ground): Plant {
  const { random, slot } = ground;
  const kind = kindSlot(ground);
  const named = (position: string): Slot => slot(position, { form: setName, unique: sanitise });
  const [set, variables, constants] = [named("a set of derived roles"), named("a set of variables"), named("a set of constants")];
  const definitions = random.several(1, 3, () => ({
    name: slot("a derived role", { form: setName, unique: (text) => text }),
    parent: slot("a parent role", { form: starless, unique: (text) => text, among: "roles" }),
    action: slot("an action", { form: starless, unique: (text) => text }),
  }));
  const variable = slot("the name of an exported variable", { form: { without: /\W/g, start: "v" }, unique: (text) => text });
  const constant = slot("the name of an exported constant", { form: { without: /\W/g, start: "c" }, unique: (text) => text });
  const value = slot("the value of an exported constant", { whole: true });
  const literal = slot("the value of an exported variable", { whole: true });
  const style = pickStyle(random);
  const content = {
    resource: whole(kind),
    version: "default",
    importDerivedRoles: [whole(set)],
    variables: { import: [whole(variables)] },
    constants: { import: [whole(constants)] },
    rules: definitions.map(({ name, action }) => ({
      actions: [whole(action)],
      effect: "EFFECT_ALLOW",
      derivedRoles: [whole(name)],
      condition: {
        match: { expr: written([variable, constant], () => `V.${variable.text} == R.attr.v && C.${constant.text} == R.attr.c`) },
      },
    })),
  };
  const documents = [
    document("resourcePolicy", content),
    document("derivedRoles", {
      name: whole(set),
      definitions: definitions.map(({ name, parent }) => ({ name: whole(name), parentRoles: [whole(parent)] })),
    }),
    document("exportVariables", {
      name: whole(variables),
      definitions: entries([whole(variable), written([literal], () => style(literal.text))]),
    }),
    document("exportConstants", { name: whole(constants), definitions: entries([whole(constant), whole(value)]) }),
  ];
  const questions = (): readonly Question[] => {
    const parents = isNoneOf(definitions.map(({ parent }) => parent));
    return definitions.flatMap(({ name, parent, action }): readonly Question[] => {
      const exact = { kind: kind.text, action: action.text, roles: [parent.text] };
      const attributes = (v: string, c: string): Attributes => ({
        resource: new Map([
          ["v", v],
          ["c", c],
        ]),
        principal: new Map(),
        claims: new Map(),
      });
      const met = attributes(literal.text, value.text);
      const denied = { effect: "EFFECT_DENY" } as const;
      return [
        { input: inputOf(exact, met), wanted: { effect: "EFFECT_ALLOW", derivedRoles: [name.text] } },
        random.pick<Question>([
          { input: inputOf({ ...exact, roles: [nearMiss(random, parent.text, parents)] }, met), wanted: { ...denied, derivedRoles: [] } },
          { input: inputOf(exact, attributes(nearMiss(random, literal.text), value.text)), wanted: denied },
          { input: inputOf(exact, attributes(literal.text, nearMiss(random, value.text))), wanted: denied },
        ]),
      ];
    });
  };
  return { documents: documents.map((part) => ({ part })), questions };
}

/** Roles that narrow others. */
export function rolePlant(ground: Ground): Plant {
  const { random, slot } = ground;
  const kind = kindSlot(ground);
  const role = slot("a role of a role policy", { form: plainName, unique: (text) => text, among: "roles" });
  const parent = roleSlot(ground);
  const action = slot("an action that a role may do", { form: literally, unique: (text) => text });
  const name = slot("the name of a role's rule", { form: ruleName });
  const condition = makeCondition(ground, "r");
  const documents = [
    document("rolePolicy", {
      role: whole(role),
      version: "default",
      parentRoles: [whole(parent)],
      ...namesOf([condition]),
      rules: [{ resource: whole(kind), allowActions: [whole(action)], name: whole(name), condition: match([condition]) }],
    }),
    document("resourcePolicy", {
      resource: whole(kind),
      version: "default",
      rules: [{ actions: ["*"], effect: "EFFECT_ALLOW", roles: [whole(parent)] }],
    }),
  ];
  const questions = (): readonly Question[] => {
    const exact = { kind: kind.text, action: action.text, roles: [role.text] };
    const met = attributesFor([condition]);
    const denied = { effect: "EFFECT_DENY" } as const;
    return [
      { input: inputOf(exact, met), wanted: { effect: "EFFECT_ALLOW" } },
      { input: inputOf({ ...exact, action: nearMiss(random, action.text) }, met), wanted: denied },
      { input: inputOf({ ...exact, roles: [nearMiss(random, role.text, isNoneOf([role, parent]))] }, met), wanted: denied },
      ...(condition.miss === undefined ? [] : [{ input: inputOf(exact, attributesFor([condition], condition)), wanted: denied }]),
    ];
  };
  return { documents: documents.map((part) => ({ part })), questions };
}

/** References to schemas, and actions for which they do not matter. */
export function schemaPlant(ground: Ground): Plant {
  const { random, slot } = ground;
  const kind = kindSlot(ground);
  const ref = slot("a reference to a schema");
  const other = slot("a reference to a schema");
  const ignored = slot("an action that no schema is asked for", { form: literally });
  const part = document("resourcePolicy", {
    resource: whole(kind),
    version: "default",
    schemas: {
      principalSchema: { ref: whole(other) },
      resourceSchema: { ref: whole(ref), ignoreWhen: { actions: [whole(ignored)] } },
    },
    rules: [{ actions: ["*"], effect: "EFFECT_ALLOW", roles: ["user"] }],
  });
  const neutral = (text: string): string => text.replace(/^cerbos:\/\/\//, "authz:///");
  const questions = (): readonly Question[] => {
    const ask = (action: string, schemas: readonly string[]): Question => ({
      input: inputOf({ kind: kind.text, action, roles: ["user"] }),
      wanted: { effect: "EFFECT_ALLOW", schemas },
    });
    const [about, besides] = [neutral(ref.text), neutral(other.text)];
    return [ask(ignored.text, [besides]), ask(nearMiss(random, ignored.text), [besides, about])];
  };
  return { documents: [{ part }], questions };
}
