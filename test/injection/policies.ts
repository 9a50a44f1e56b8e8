/** Policies about resources and principals with strings at every position that has one, and questions that name exactly these strings. */
import { sanitise } from "../../compiler/policy/names.ts";
import { keyOf } from "../../runtime/decide/policy-name.ts";
import { attributesFor, makeCondition, pickMissed } from "./conditions.ts";
import { entries, whole, written, type Part } from "./holes.ts";
import { document, inputOf, isOther, kindSlot, makeOutput, match, namesOf, roleSlot } from "./parts.ts";
import {
  isNoneOf,
  nearMiss,
  plainName,
  ruleName,
  scopeName,
  starless,
  versionName,
  type Ground,
  type Plant,
  type Question,
} from "./plant.ts";

/** A resource policy with rules that each allow one action to one role under conditions. */
export function resourcePlant(ground: Ground): Plant {
  const { random, slot } = ground;
  const kind = kindSlot(ground);
  const rules = random.several(10, 16, (index) => ({
    action: slot("an action", { form: starless, unique: (text) => text }),
    role: roleSlot(ground),
    name: slot("the name of a rule", { form: ruleName, unique: (text) => text }),
    conditions: random.several(1, 4, (at) => makeCondition(ground, `a${index}_${at}`)),
    output: random.chance(0.5) ? makeOutput(ground) : undefined,
  }));
  const conditions = rules.flatMap((rule) => rule.conditions);
  const content = {
    resource: whole(kind),
    version: "default",
    ...namesOf(conditions),
    rules: rules.map((rule) => ({
      actions: [whole(rule.action)],
      effect: "EFFECT_ALLOW",
      roles: [whole(rule.role)],
      name: whole(rule.name),
      condition: match(rule.conditions),
      output: rule.output?.part,
    })),
  };
  const actions = isNoneOf(rules.map(({ action }) => action));
  const roles = isNoneOf(rules.map(({ role }) => role));
  const questions = (): readonly Question[] => {
    const key = keyOf("resource", sanitise(kind.text), "default", "");
    return rules.flatMap(({ action, role, name, conditions: own, output }): readonly Question[] => {
      const exact = { kind: kind.text, action: action.text, roles: [role.text] };
      const missed = pickMissed(random, own);
      const met = attributesFor(own);
      return [
        {
          input: inputOf(exact, met),
          wanted: {
            effect: "EFFECT_ALLOW",
            matchedPolicy: key,
            outputs: output?.outputs(key, name.text) ?? [],
          },
        },
        random.weigh<Question>([
          [
            1,
            () => ({
              input: inputOf({ ...exact, kind: nearMiss(random, kind.text, isOther(kind.text)) }, met),
              wanted: { effect: "EFFECT_DENY", outputs: [] },
            }),
          ],
          [
            2,
            () => ({
              input: inputOf({ ...exact, action: nearMiss(random, action.text, actions) }, met),
              wanted: { effect: "EFFECT_DENY", matchedPolicy: key },
            }),
          ],
          [
            2,
            () => ({
              input: inputOf({ ...exact, roles: [nearMiss(random, role.text, roles)] }, met),
              wanted: { effect: "EFFECT_DENY", outputs: [] },
            }),
          ],
          [
            missed === undefined ? 0 : 8,
            () => ({
              input: inputOf(exact, attributesFor(own, missed)),
              wanted: { effect: "EFFECT_DENY", matchedPolicy: key, outputs: [] },
            }),
          ],
        ]),
      ];
    });
  };
  return { documents: [{ part: document("resourcePolicy", content) }], questions };
}

/** Patterns, and texts that an author forgot to escape: what they mean only the reference knows. */
export function wildPlant(ground: Ground): Plant {
  const { random, slot } = ground;
  const kind = kindSlot(ground);
  const rules = random.several(3, 6, () => ({
    action: slot("a pattern of actions"),
    role: slot("a pattern of roles"),
    unescaped: slot("a text in an expression, not escaped"),
  }));
  const content = {
    resource: whole(kind),
    version: "default",
    rules: rules.map(({ action, role, unescaped }) => ({
      actions: [whole(action), written([action], () => `*${action.text}`), written([action], () => `${action.text}:*`)],
      effect: random.pick(["EFFECT_ALLOW", "EFFECT_ALLOW", "EFFECT_DENY"]),
      roles: [whole(role), written([role], () => `${role.text}*`)],
      condition: { match: { expr: written([unescaped], () => `R.attr.text == "${unescaped.text}"`) } },
    })),
  };
  const questions = (): readonly Question[] =>
    rules.flatMap(({ action, role, unescaped }) =>
      [action.text, nearMiss(random, action.text), `${action.text}:${action.text}`].map((asked) => ({
        input: inputOf(
          { kind: kind.text, action: asked, roles: [random.chance(0.7) ? role.text : nearMiss(random, role.text)] },
          { resource: new Map([["text", unescaped.text]]), principal: new Map(), claims: new Map() },
        ),
      })),
    );
  return { documents: [{ part: document("resourcePolicy", content) }], questions };
}

/** What stands around a policy, where it comes from, and at which version and scope. */
export function envelopePlant(ground: Ground): Plant {
  const { random, slot } = ground;
  const kind = kindSlot(ground);
  const version = slot("a version", { form: versionName });
  const scope = slot("a scope", { form: scopeName });
  const path = slot("the name of a file", { unique: (text) => text });
  const attributes = random.several(1, 4, () => ({
    name: slot("the name of a source attribute", { whole: true, unique: (text) => text }),
    value: slot("the value of a source attribute", { whole: true }),
  }));
  const fromStore = slot("what a store says of a file", { whole: true });
  const rules = [{ actions: ["view"], effect: "EFFECT_ALLOW", roles: ["user"], output: { when: { ruleActivated: `"told"` } } }];
  const at = (place: Part, more: { readonly [name: string]: Part } = {}): Part =>
    document(
      "resourcePolicy",
      { resource: whole(kind), version: whole(version), ...(place === null ? {} : { scope: place }), rules },
      more,
    );
  const envelope = {
    description: whole(slot("a description")),
    $schema: whole(slot("a $schema")),
    metadata: {
      annotations: entries(
        ...random.several(
          1,
          4,
          () => [whole(slot("the name of an annotation", { unique: (text) => text })), whole(slot("the value of an annotation"))] as const,
        ),
      ),
      sourceFile: whole(slot("a source file")),
      storeIdentifier: whole(slot("a store's name of a file")),
      sourceAttributes: { attributes: entries(...attributes.map(({ name, value }) => [whole(name), whole(value)] as const)) },
    },
  };
  const questions = (): readonly Question[] => {
    const key = keyOf("resource", sanitise(kind.text), sanitise(version.text), scope.text);
    const exact = { kind: kind.text, action: "view", roles: ["user"], version: version.text, scope: scope.text };
    const otherVersion = nearMiss(random, version.text, (near) => /^\w+$/.test(near));
    return [
      {
        input: inputOf(exact),
        wanted: {
          effect: "EFFECT_ALLOW",
          matchedPolicy: key,
          outputs: [{ src: `${key}#rule-001`, val: "told" }],
          sourceAttributes: [
            key,
            Object.fromEntries([...attributes.map(({ name, value }) => [name.text, value.text]), ["store", fromStore.text]]),
          ],
        },
      },
      ...(/^\w+$/.test(otherVersion)
        ? [{ input: inputOf({ ...exact, version: otherVersion }), wanted: { effect: "EFFECT_DENY", matchedPolicy: "NO_MATCH" } as const }]
        : []),
    ];
  };
  return {
    documents: [
      {
        part: at(whole(scope), envelope),
        path,
        attributes: entries([{ kind: "hole", slots: [], write: () => "store" }, whole(fromStore)]),
      },
      { part: at(null) },
    ],
    questions,
  };
}

/** What principals may do. */
export function principalPlant(ground: Ground): Plant {
  const { random, slot } = ground;
  const principal = slot("a principal", { form: plainName, unique: sanitise });
  const rules = random.several(2, 4, (index) => ({
    resource: slot("a resource of a principal", { form: starless, unique: sanitise }),
    action: slot("an action of a principal", { form: starless }),
    name: slot("the name of a principal's rule", { form: ruleName, unique: (text) => text }),
    conditions: random.several(1, 2, (at) => makeCondition(ground, `p${index}_${at}`)),
    output: makeOutput(ground),
  }));
  const content = {
    principal: whole(principal),
    version: "default",
    ...namesOf(rules.flatMap(({ conditions }) => conditions)),
    rules: rules.map(({ resource, action, name, conditions, output }) => ({
      resource: whole(resource),
      actions: [{ action: whole(action), effect: "EFFECT_ALLOW", name: whole(name), condition: match(conditions), output: output.part }],
    })),
  };
  const questions = (): readonly Question[] => {
    const key = keyOf("principal", sanitise(principal.text), "default", "");
    return rules.flatMap(({ resource, action, name, conditions, output }): readonly Question[] => {
      const exact = { kind: resource.text, action: action.text, roles: ["nobody"], id: principal.text };
      const met = attributesFor(conditions);
      const denied = { effect: "EFFECT_DENY", outputs: [] } as const;
      return [
        { input: inputOf(exact, met), wanted: { effect: "EFFECT_ALLOW", matchedPolicy: key, outputs: output.outputs(key, name.text) } },
        random.pick<Question>([
          { input: inputOf({ ...exact, id: nearMiss(random, principal.text, isOther(principal.text)) }, met), wanted: denied },
          { input: inputOf({ ...exact, action: nearMiss(random, action.text) }, met), wanted: denied },
          { input: inputOf({ ...exact, kind: nearMiss(random, resource.text, isOther(resource.text)) }, met), wanted: denied },
        ]),
      ];
    });
  };
  return { documents: [{ part: document("principalPolicy", content) }], questions };
}
