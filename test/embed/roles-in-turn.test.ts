/** What a module remembers of the roles that asked last never shows in an answer. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildForTest, compiledFrom, openBare, textOf } from "./modules.ts";

const policies = "golden/tour/policies";
const sources = readdirSync(policies).map((path) => ({ path, text: readFileSync(`${policies}/${path}`, "utf8") }));
const { bundle } = compiledFrom(sources.filter(({ path }) => path.endsWith(".yaml")));

const lists = [
  ["employee"],
  ["manager"],
  ["employee", "manager"],
  ["manager", "employee"],
  ["guest"],
  ["guest", "manager"],
  ["employee", "guest"],
];
const requestBy = (roles: readonly string[]): object => ({
  principal: { id: "maria", roles, attr: { team: "design" } },
  resource: { kind: "expense", id: "e1", attr: { owner: "sam", team: "design", amount: 250, status: "OPEN" } },
  actions: ["create", "view", "approve"],
});

test.each(["node", "browser", "worker"] as const)("%s: each list of roles after each other", async (target) => {
  const text = textOf(await buildForTest(bundle, { target }));
  const asked = openBare(text);
  const alone = lists.map((roles) => openBare(text).check(requestBy(roles)));
  expect(new Set(alone.map((answer) => JSON.stringify(answer))).size).toBeGreaterThan(3);
  for (const [first, roles] of lists.entries())
    for (const [then, others] of lists.entries()) {
      expect(asked.check(requestBy(roles))).toEqual(alone[first]);
      expect(asked.check(requestBy(others))).toEqual(alone[then]);
    }
});
