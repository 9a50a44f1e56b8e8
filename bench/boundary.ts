/** What does the boundary of the sandbox cost a request of 419 bytes: the very same code, inside the realm and in the host, in turn? */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { compileFunction } from "node:vm";
import { compile } from "../compiler/index.ts";
import { evaluateInThisRealm } from "../runtime/load.ts";
import { openRealm, type Realm } from "../runtime/sandbox/realm.ts";
import { digest } from "./measure.ts";
import { race, type Course } from "./race.ts";
import { isQuick } from "./tell/flags.ts";
import { report, short, table } from "./tell/report.ts";

const goalMicroseconds = 2;
const bytes = 419;
const course: Course = isQuick
  ? { rounds: 1, warmUpMilliseconds: 5, roundMilliseconds: 5 }
  : { rounds: 41, warmUpMilliseconds: 300, roundMilliseconds: 60 };
const callId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

const policies = ["expense.yaml", "expense_roles.yaml"].map((path) => ({
  path,
  text: readFileSync(`golden/tour/policies/${path}`, "utf8"),
}));
const { compiled } = compile(policies, { digest });
if (compiled === undefined) throw new Error("the tour's policies do not compile");
const bundle = JSON.stringify(compiled.bundle);

const guest = readFileSync("dist/guest.js", "utf8");
const lockdown = readFileSync(createRequire(import.meta.url).resolve("ses"), "utf8");
const realm = openRealm({ guest, lockdown });
const wary = openRealm({ guest, lockdown });
const host = openInHost(guest);
// A server that compiles its policies itself does not freeze what is asked; one that takes bundles of others does.
const settings = JSON.stringify({ freezesRequests: false });
realm.configure(settings);
host.configure(settings);
for (const each of [realm, wary, host]) each.load(bundle);

/** The same text as the realm's, evaluated in this realm: no context, no lockdown, no compartment, no door. */
function openInHost(text: string): Pick<Realm, "configure" | "load" | "checkResources"> {
  class Compartment {
    readonly globalThis = {};
    readonly evaluate = evaluateInThisRealm;
  }
  compileFunction(text, ["Compartment", "harden"])(Compartment, (value: unknown) => value);
  const found: unknown = Object.getOwnPropertyDescriptor(globalThis, "authzDoor")?.value;
  Reflect.deleteProperty(globalThis, "authzDoor");
  type DoorName = "configure" | "begin" | "bring" | "goOn" | "checkResources";
  const door = found as { readonly [name in DoorName]: (...words: readonly unknown[]) => string }; // what guest.ts leaves
  const demand = (reason: string): void => {
    if (reason !== "") throw new Error(reason);
  };
  return {
    configure: (settingsText) => demand(door.configure(settingsText)),
    load: (bundleText) => {
      demand(door.begin("load"));
      demand(door.bring(bundleText));
      let answer = "more";
      while (answer !== "") {
        answer = door.goOn();
        if (answer.startsWith("!")) throw new Error(answer);
      }
    },
    checkResources: (body, id, now) => door.checkResources(body, id, now, "CheckResources", 0),
  };
}

function requestOf(requestId: string): string {
  return JSON.stringify({
    requestId,
    principal: { id: "maria", roles: ["employee", "manager"], attr: { team: "design" } },
    resources: [
      {
        actions: ["view", "approve"],
        resource: { kind: "expense", id: "e-1", attr: { owner: "sam", team: "design", amount: 250, status: "OPEN" } },
      },
      {
        actions: ["approve"],
        resource: { kind: "expense", id: "e-2", attr: { owner: "maria", team: "design", amount: 80, status: "OPEN" } },
      },
    ],
  });
}
const body = requestOf("r".repeat(bytes - requestOf("").length));
const [inside, outside] = [realm.checkResources(body, callId, 0), host.checkResources(body, callId, 0)];
if (!inside.startsWith("0")) throw new Error(`the request is refused: ${inside}`);
if (inside !== outside) throw new Error(`the realm and the host disagree: ${inside} ${outside}`);

const batch = 64;
const pass = (call: () => { readonly length: number }) => (): number => {
  let held = 0;
  for (let n = 0; n < batch; n++) held += call().length;
  return held;
};
const rows: readonly (readonly [name: string, call: () => { readonly length: number }])[] = [
  ["text to text, in the realm", () => realm.checkResources(body, callId, 0)],
  ["text to text, the same in the host", () => host.checkResources(body, callId, 0)],
  ["text to text, in the realm, frozen", () => wary.checkResources(body, callId, 0)],
  ["JSON.parse alone, in the host", () => (JSON.parse(body) as { readonly resources: readonly unknown[] }).resources],
  ["a refused request, in the realm", () => realm.checkResources("{", callId, 0)],
  ["a refused request, in the host", () => host.checkResources("{", callId, 0)],
];
const times = race(
  rows.map(([, call]) => pass(call)),
  batch,
  course,
);

const microseconds = (at: number): number => (times[at]?.median ?? Number.NaN) / 1000;
const beyondHost = (at: number): number => microseconds(at) - microseconds(1);
report({
  bench: "boundary",
  figures: rows.map(([name], at) => ({ name, ...times[at] })),
  text: [
    `a request of ${body.length} bytes: 2 resources, 3 actions; microseconds of processor time, ${course.rounds} rounds in turn`,
    table(
      ["", "us", "least", "most"],
      rows.map(([name], at) => [
        name,
        ...[times[at]?.median, times[at]?.least, times[at]?.most].map((time) => short((time ?? Number.NaN) / 1000)),
      ]),
    ),
    `with requests frozen, as for bundles of others: ${short(beyondHost(2))} us more than in the host`,
  ].join("\n"),
  goals: [{ name: "the boundary, us a request", found: beyondHost(0), most: goalMicroseconds }],
});
