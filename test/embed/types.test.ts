/** The declarations that are shipped: what is right compiles, each slip does not, with and without the `Policies` of `authz types`. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "authz-types-"));
afterAll(() => rmSync(folder, { recursive: true }));
const tsc = (...argv: readonly string[]) =>
  spawnSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), ...argv], { encoding: "utf8" });

const installed = join(folder, "node_modules/authz");
mkdirSync(installed, { recursive: true });
expect(tsc("-p", "src/embed/tsconfig.json", "--outDir", join(installed, "dist/types")).stdout).toBe("");
symlinkSync(resolve("package.json"), join(installed, "package.json"));

const opening = `
import { load, type Door } from "authz";
interface Policies {
  readonly kinds: {
    readonly expense: { readonly actions: "view" | "approve"; readonly unvalidated: never; readonly attr: { readonly amount: number; readonly note?: string }; readonly principalAttr: unknown };
    readonly album: { readonly actions: "view" | \`share:\${string}\`; readonly unvalidated: never; readonly attr: { readonly [name: string]: unknown }; readonly principalAttr: { readonly team?: string } };
  };
  readonly roles: "employee" | "manager";
  readonly derivedRoles: "owner";
  readonly scopes: "" | "acme";
  readonly policyVersions: "default";
}
const typed = await load<Policies>("policies");
const free = await load("policies", { now: new Date(0), globals: { limit: 5 }, onDecision: ({ result }) => console.log(result.requestId) });
const door: Door = free;
interface User { readonly id: string; readonly roles: readonly string[]; readonly attr: UserAttributes }
interface UserAttributes { readonly team: string }
declare const user: User;
declare const asked: readonly ("view" | "share:all")[];
declare const names: readonly string[];
interface Said { readonly text?: string; readonly auxData?: { readonly jwt: object }; readonly now?: Date; readonly flag?: boolean; readonly schemas?: "warn"; readonly hook?: () => void; readonly steps?: number }
declare const said: Said;
declare const console: { readonly log: (...said: readonly unknown[]) => void };
const ann = { id: "ann", roles: ["employee"] } as const;
`;

const right = [
  `typed.isAllowed(ann, { kind: "expense", id: "1", attr: { amount: 5 } }, "approve")`,
  `typed.isAllowed({ id: "ann", roles: ["manager"], attr: { team: "a" } }, { kind: "album", id: "1", scope: "acme" }, "share:all")`,
  `typed.check({ principal: ann, resource: { kind: "expense", id: "1", attr: { amount: 5 } }, actions: ["view", "approve"] }).actions.approve.effect`,
  `typed.check({ principal: ann, resource: { kind: "album", id: "1" }, actions: ["share:all"] }).actions["share:all"].effect`,
  `typed.check({ principal: ann, resource: { kind: "album", id: "1" }, actions: asked }).actions.view?.effect`,
  `free.check({ principal: user, resource: { kind: "x", id: "1" }, actions: ["read", "write"] }).actions.write.effect`,
  `typed.explain({ principal: ann, resource: { kind: "album", id: "1" }, actions: ["view"] }, { now: 0 }).reasons.view.join()`,
  `typed.explain({ principal: ann, resource: { kind: "album", id: "1" }, actions: ["view"] }).actions.view.effect`,
  `free.explain({ principal: user, resource: { kind: "x", id: "1" }, actions: names }).reasons["read"]?.length`,
  `free.check({ principal: user, resource: { kind: "x", id: "1" }, actions: names }).actions["read"]?.effect`,
  `free.isAllowed(user, { kind: "anything", id: "1", attr: { at: new Date() } }, "read", { auxData: { jwt: { sub: "ann" } } })`,
  `free.check({ requestId: said.text, principal: { ...user, scope: said.text }, resource: { kind: "x", id: "1" }, actions: ["read"], auxData: said.auxData })`,
  `free.isAllowed(user, { kind: "x", id: "1" }, "read", { now: said.now, globals: said.auxData, defaultScope: said.text, strictEvaluation: said.flag, auxData: { jwt: said.auxData } })`,
  `await load("policies", { sandbox: said.flag, publicKey: said.text, schemas: said.schemas, onDecision: said.hook, maxEvaluationSteps: said.steps })`,
  `door.check({ principal: user, resource: { kind: "x", id: "1" }, actions: ["read"] }, { lenientScopeSearch: true }).outputs.map(({ val }) => val)`,
];
const wrong = [
  `typed.isAllowed(ann, { kind: "expense", id: "1", attr: { amount: 5 } }, "share:all")`,
  `typed.isAllowed(ann, { kind: "expanse", id: "1" }, "view")`,
  `typed.isAllowed(ann, { kind: "expense", id: "1" }, "view")`,
  `typed.isAllowed(ann, { kind: "expense", id: "1", attr: { amount: "5" } }, "view")`,
  `typed.isAllowed({ id: "ann", roles: ["boss"] }, { kind: "album", id: "1" }, "view")`,
  `typed.isAllowed(ann, { kind: "album", id: "1", scope: "acne" }, "view")`,
  `typed.check({ principal: ann, resource: { kind: "album", id: "1" }, actions: ["view"] }).actions.approve`,
  `typed.check({ principal: ann, resource: { kind: "expense", id: "1", attr: { amount: 5 } }, actions: ["view"] }).actions.approve`,
  `typed.check({ principal: ann, resource: { kind: "album", id: "1" }, actions: asked }).actions.view.effect`,
  `typed.explain({ principal: ann, resource: { kind: "album", id: "1" }, actions: ["view"] }).reasons.approve`,
  `free.explain({ principal: ann, resource: { kind: "x", id: "1" }, actions: names }).reasons["read"].length`,
  `free.check({ principal: ann, resource: { kind: "x", id: "1" }, actions: ["read"] }).actions.write`,
  `free.check({ principal: ann, resource: { kind: "x", id: "1" }, actions: names }).actions["read"].effect`,
  `free.check({ principal: ann, resource: { kind: "x", id: "1" }, actions: "view" })`,
  `free.isAllowed({ id: "ann" }, { kind: "x", id: "1" }, "view")`,
  `free.check({ principal: ann, resource: { kind: "x", id: "1" }, actions: ["view"] }, { strict: true })`,
  `await load("policies", { schemas: "maybe" })`,
];

test("what is right compiles; each slip is an error on its line", () => {
  const lines = [...right, ...wrong].map((code) => `void (${code});`);
  writeFileSync(join(folder, "main.mts"), `${opening}${lines.join("\n")}\n`);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    target: "es2023",
    lib: ["es2023"],
    module: "nodenext",
    types: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.mts"] }));
  const { stdout } = tsc("-p", folder);
  const first = opening.split("\n").length;
  const found = new Set(Array.from(stdout.matchAll(/main\.mts\((\d+),/g), ([, line]) => Number(line) - first));
  expect([...found].map((line) => lines[line] ?? stdout)).toEqual(wrong.map((code) => `void (${code});`));
});
