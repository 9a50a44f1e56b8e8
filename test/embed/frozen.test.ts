/** Modules where somebody has frozen what all objects inherit, as hardened realms do: names that prototypes have are attributes still. */
import { describe, expect, test } from "vitest";
import { buildForTest, compiledFrom, decisionOf, openBare, openBareAfter, textOf } from "./modules.ts";

const has = (name: string) => ({
  actions: [name],
  effect: "EFFECT_ALLOW",
  roles: ["*"],
  condition: { match: { expr: `R.attr["${name}"].within == "text" && P.attr["${name}"] == 1.0` } },
});
const names = ["constructor", "hasOwnProperty", "toString", "valueOf", "__proto__", "toJSON", "owner"];
const policy = {
  apiVersion: "api.authz.dev/v1",
  resourcePolicy: { resource: "doc", version: "default", rules: names.map(has) },
};
const { bundle } = compiledFrom([{ path: "doc.yaml", text: JSON.stringify(policy) }]);
const freezing = `
  for (const inherited of [Object, Array, String, Number, Boolean, Function, Error, TypeError, Map, Set, Date, RegExp, Promise, Symbol]) {
    Object.freeze(inherited);
    Object.freeze(inherited.prototype);
  }`;
/** An object with that field, and no prototype for its sake. */
const one = (name: string, value: unknown): object => JSON.parse(JSON.stringify({ name: value }).replace('"name"', JSON.stringify(name)));

describe.each(["node", "browser", "worker"] as const)("%s", (target) => {
  const text = buildForTest(bundle, { target }).then(textOf);
  const module = text.then((written) => openBareAfter(freezing, written));
  const frozenLater = text.then((written) => {
    const opened = openBare(written);
    opened.run(freezing);
    return opened;
  });

  test.each(names.flatMap((name) => [["frozen before", name, module] as const, ["frozen after", name, frozenLater] as const]))(
    "%s the module is loaded: %s",
    async (_, name, opened) => {
      const { check } = await opened;
      const request = {
        principal: { id: "ann", roles: ["user"], attr: one(name, 1) },
        resource: { kind: "doc", id: "1", attr: { ...one(name, one("within", "text")), text: one(name, "text") } },
        actions: names,
      };
      const { actions } = decisionOf(check(request, { globals: one(name, 2) }));
      expect(names.filter((action) => actions.get(action)?.effect === "EFFECT_ALLOW")).toEqual([name]);
    },
  );

  test("what is wrong is said in the same words", async () => {
    const { check } = await module;
    expect(() => check({})).toThrow("RequestError: this cannot be decided: `principal` must be an object");
    const request = { principal: { id: "ann", roles: ["user"] }, resource: { kind: "doc", id: "1" }, actions: ["view"] };
    expect(() => check(request, { nobody: 1 })).toThrow("OptionError: the options cannot be used: `nobody` is unknown");
    expect(() => check(request, { evaluationErrors: true })).toThrow("OptionError: `evaluationErrors` is not available here");
  });
});
