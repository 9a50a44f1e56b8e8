/** A policy set in which no two policies are alike in shape: each has its own mix of rules, roles, actions and conditions, drawn from a seeded source. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRandom, type Random } from "../../test/agree/random.ts";
import { numberOfUnit, type PolicySetOnDisk } from "./kit.ts";

/** As the classic set has them, so that the two can be compared: nine policies a unit, two requests of about ten decisions. */
const kindsOfUnit = 7;
const bodiesOfUnit = 2;

const actions = ["view", "list", "edit", "approve", "reject", "delete", "share", "export", "archive", "comment", "assign", "print"];
const roles = ["user", "manager", "auditor", "clerk", "owner", "support", "finance", "legal"];
const departments = ["design", "marketing", "engineering", "sales"];
const regions = ["EMEA", "APAC", "AMER"];

/** Conditions, each with values of its own. */
function conditionFrom(random: Random): string {
  const number = random.whole(10_000);
  const text = random.pick([...departments, ...regions, "OPEN", "CLOSED"]);
  return random.pick([
    `R.attr.amount < ${number}`,
    `R.attr.amount >= ${number} && R.attr.amount < ${number + 500}`,
    `R.attr.owner == P.id`,
    `R.attr.owner != P.id && R.attr.status == "OPEN"`,
    `R.attr.department == P.attr.department`,
    `R.attr.region in ["${random.pick(regions)}", "${text}"]`,
    `P.attr.level > ${random.whole(9)}`,
    `R.attr.tags.exists(tag, tag == "${text.toLowerCase()}-${number % 7}")`,
    `size(R.attr.tags) > ${number % 4}`,
    `R.attr.status != "${text}" || P.attr.level >= ${number % 6}`,
    `has(R.attr.reviewer) && R.attr.reviewer == P.id`,
    `R.id.startsWith("${random.pick(["a", "b", "c"])}${number % 10}")`,
    `P.attr.department == "${random.pick(departments)}" && R.attr.region != "${random.pick(regions)}"`,
    `(R.attr.amount * ${(number % 9) + 2}.0) < P.attr.limit`,
  ]);
}

/** `match` of a condition: one expression, or several under all, any or none. */
function match(random: Random, indent: string): string {
  const expressions = random.several(1, 3, () => JSON.stringify(conditionFrom(random)));
  const [only] = expressions;
  if (expressions.length === 1) return `${indent}match:\n${indent}  expr: ${only}\n`;
  const block = random.pick(["all", "any", "none"]);
  return `${indent}match:\n${indent}  ${block}:\n${indent}    of:\n${expressions.map((each) => `${indent}      - expr: ${each}\n`).join("")}`;
}

const listOf = (words: readonly string[]): string => `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;

function rule(random: Random, derived: readonly string[]): string {
  const isDerived = derived.length > 0 && random.chance(0.35);
  const who = isDerived ? `derivedRoles: ${listOf(random.some(1, 2, derived))}` : `roles: ${listOf(random.some(1, 3, roles))}`;
  const what = random.chance(0.1) ? ["*"] : random.some(1, 4, actions);
  const effect = random.chance(0.2) ? "EFFECT_DENY" : "EFFECT_ALLOW";
  const condition = random.chance(0.75) ? `      condition:\n${match(random, "        ")}` : "";
  return `    - actions: ${listOf(what)}\n      effect: ${effect}\n      ${who}\n${condition}`;
}

const derivedOf = (unit: string): readonly string[] => ["first", "second", "third"].map((word) => `${word}_${unit}`);

function derivedRoles(random: Random, unit: string): string {
  const definitions = derivedOf(unit).map(
    (name) => `    - name: ${name}\n      parentRoles: ${listOf(random.some(1, 3, roles))}\n      condition:\n${match(random, "        ")}`,
  );
  return `apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: roles_${unit}\n  definitions:\n${definitions.join("")}`;
}

function resourcePolicy(random: Random, unit: string, kind: string, scope: string): string {
  const imports = random.chance(0.6) || scope !== "";
  const rules = random.several(3, 8, () => rule(random, imports ? derivedOf(unit) : []));
  const head = `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: ${kind}\n  version: default\n`;
  const scoped = scope === "" ? "" : `  scope: ${scope}\n`;
  return `${head}${scoped}${imports ? `  importDerivedRoles: [roles_${unit}]\n` : ""}  rules:\n${rules.join("")}`;
}

const kindOf = (unit: string, kind: number): string => `document_${kind}_${unit}`;

function request(random: Random, unit: string, number: number): string {
  const principal = {
    id: random.pick(["ann", "bob", "cid"]),
    roles: random.some(1, 3, roles),
    attr: { department: random.pick(departments), level: random.whole(10), limit: random.whole(50_000), region: random.pick(regions) },
  };
  const resources = random.several(4, 5, (index) => ({
    actions: random.some(2, 3, actions),
    resource: {
      kind: kindOf(unit, index),
      id: `${random.pick(["a", "b", "c"])}${random.whole(1000)}`,
      ...(index === 0 && number === 1 && { scope: "acme" }),
      attr: {
        amount: random.whole(10_000),
        owner: random.pick(["ann", "bob", "cid"]),
        department: random.pick(departments),
        region: random.pick(regions),
        status: random.pick(["OPEN", "CLOSED"]),
        tags: random.several(0, 3, () => `${random.pick(departments)}-${random.whole(7)}`),
        ...(random.chance(0.5) && { reviewer: "bob" }),
      },
    },
  }));
  return JSON.stringify({ requestId: `REQ_${unit}_${number}`, principal, resources });
}

/** The files of one unit, by their names. */
function unitFiles(seed: number, number: number): { readonly files: ReadonlyMap<string, string>; readonly bodies: readonly string[] } {
  const random = openRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const unit = numberOfUnit(number);
  const files = new Map([[`roles_${unit}.yaml`, derivedRoles(random, unit)]]);
  for (let kind = 0; kind < kindsOfUnit; kind++)
    files.set(`${kindOf(unit, kind)}.yaml`, resourcePolicy(random, unit, kindOf(unit, kind), ""));
  files.set(`${kindOf(unit, 0)}_acme.yaml`, resourcePolicy(random, unit, kindOf(unit, 0), "acme"));
  return { files, bodies: Array.from({ length: bodiesOfUnit }, (_, each) => request(random, unit, each)) };
}

/** Writes so many units; the same seed writes the same bytes. */
export function writeDifferent(units: number, seed = 1): PolicySetOnDisk {
  const out = mkdtempSync(join(tmpdir(), "authz-bench-"));
  const policies = join(out, "policies");
  mkdirSync(policies);
  const bodies: string[] = [];
  let count = 0;
  for (let unit = 0; unit < units; unit++) {
    const made = unitFiles(seed, unit);
    for (const [name, text] of made.files) writeFileSync(join(policies, name), text);
    bodies.push(...made.bodies);
    count += made.files.size;
  }
  return {
    policies,
    count,
    bodies,
    bodiesOfUnit,
    filesOf: (unit) => [...unitFiles(seed, unit).files.keys()],
    remove: () => rmSync(out, { recursive: true, force: true }),
  };
}
