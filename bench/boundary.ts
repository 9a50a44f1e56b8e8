/** What does the sandbox cost a request: text in, text out, inside the realm and without it? */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { compile } from "../compiler/index.ts";
import { openRealm } from "../runtime/sandbox/realm.ts";
import { digest, time } from "./measure.ts";

const policies = ["expense.yaml", "expense_roles.yaml"].map((path) => ({
  path,
  text: readFileSync(`golden/tour/policies/${path}`, "utf8"),
}));
const { compiled } = compile(policies, { digest });
if (compiled === undefined) throw new Error("the tour's policies do not compile");

const realm = openRealm({
  guest: readFileSync("dist/guest.js", "utf8"),
  lockdown: readFileSync(createRequire(import.meta.url).resolve("ses"), "utf8"),
});
realm.load(JSON.stringify(compiled.bundle));

const body = JSON.stringify(JSON.parse(readFileSync("golden/tour/requests/expense.json", "utf8")));
const callId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
if (!realm.checkResources(body, callId, 0).startsWith("0")) throw new Error("the tour's request is refused");

console.log(`a request of ${body.length} characters, 3 resources, 7 actions`);
const whole = time("text to text in the realm", () => realm.checkResources(body, callId, 0));
const parse = time("JSON.parse alone, outside", () => JSON.parse(body) as unknown);
time("a refused request, in the realm", () => realm.checkResources("{}", callId, 0));
console.log(`ratio to JSON.parse ${(whole / parse).toFixed(1)}`);
