/** A server whose gate is turned off meets bundles that loop, fill the memory or crash: what tries them ends, and it keeps answering. */
import { renameSync, writeFileSync } from "node:fs";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Bundle } from "../../runtime/bundle.ts";
import { bundleOf, rebuilt } from "../bundle/try-out.ts";
import { buildUngated, type Ungated, type UngatedServer } from "../bundle/ungated.ts";
import { eventually, temporaryFolder } from "../server/harness.ts";

const policy = (effect: "ALLOW" | "DENY"): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_${effect}
      roles: [user]
      condition:
        match:
          expr: R.attr.state != "gone"
`;
const allowing = bundleOf(policy("ALLOW"));
const denying = bundleOf(policy("DENY"));
const question = {
  principal: { id: "ann", roles: ["user"] },
  resources: [{ actions: ["view"], resource: { kind: "doc", id: "1", attr: { state: "here" } } }],
};

/** A program whose parts do what is written. */
const program = ({ first = "", roles = "return [];", decide = "return 0;" }): string =>
  `(rt, k) => {\n${first}\nreturn { scopes: [["", { derivedRoles: (q) => { ${roles} }, decide: (q, action, matched) => { ${decide} }, first: 0 }]] };\n}`;

const stuck = /did not pass its trial: [^:]+: it gets no further, and was ended: the last good set keeps answering/;
const large =
  /did not pass its trial: [^:]+: (?:it gets no further, and was ended|it needs more than \d+ MB of memory|the process that tried it has crashed)/;

describe("a server without a gate", () => {
  const folder = temporaryFolder({});
  const file = join(folder, "bundle.mjs");
  let ungated: Ungated;
  let server: UngatedServer;
  const publish = (bundle: Bundle): void => {
    writeFileSync(`${file}.new`, ungated.writeBundle({ bundle, schemas: new Map(), policies: 1 }));
    renameSync(`${file}.new`, file);
  };
  const effect = async (): Promise<string> => /EFFECT_\w+/.exec(await server.post("/api/check/resources", question))?.[0] ?? "none";

  const apart = async (): Promise<number> =>
    Number(/store_seconds_since_agreement\{[^}]*\} (\S+)/.exec(await server.get("/_authz/metrics"))?.[1]);

  beforeAll(async () => {
    ungated = await buildUngated();
    publish(allowing);
    server = await ungated.start({
      "storage.driver": "bundle",
      "storage.bundle.path": file,
      "storage.bundle.allowUnsigned": "true",
      "storage.bundle.updatePollInterval": "100ms",
    });
  });
  afterAll(() => server.stop());

  test.each<[sentence: string, parts: Parameters<typeof program>[0], told: RegExp]>([
    ["loops when it is opened", { first: "for (;;) {}" }, stuck],
    ["loops in a decision", { decide: "for (;;) {}" }, stuck],
    ["loops while derived roles are listed", { roles: "while (true) {}" }, stuck],
    ["loops for one action alone", { decide: `for (; action === "view";) {} return 0;` }, stuck],
    ["has a pattern that backtracks for ever", { decide: `return /^(a+)+$/.test("${"a".repeat(60)}b") ? 1 : 0;` }, stuck],
    [
      "is in a built-in function that cannot be interrupted",
      { decide: "const a = [1]; a.length = 4294967295; a.lastIndexOf(3); return 0;" },
      stuck,
    ],
    ["sorts what has no end", { first: "const a = [1]; a.length = 4294967295; a.sort();" }, stuck],
    ["fills the memory with objects", { first: "const a = []; for (;;) a.push({ x: 1 });" }, large],
    ["fills the memory with maps", { decide: "const m = new Map(); for (let i = 0; ; i++) m.set(i, i);" }, large],
    [
      "fills the memory with texts",
      { first: `const a = []; for (let i = 0; ; i++) a.push(("x" + i).repeat(33554432).charCodeAt(5), ("y" + i).repeat(33554432));` },
      large,
    ],
    ["fills the memory with numbers", { first: "let b = 3n; const a = []; for (;;) { b = b * b; a.push(b); }" }, large],
    ["crashes the engine", { first: `const a = []; for (;;) a.push("x".repeat(536870800).split(""));` }, large],
    ["calls itself without end", { decide: "const f = (n) => f(n + 1) + 1; return f(0);" }, /resource doc@default: it fails: RangeError: /],
    ["throws what is no error", { decide: "throw 1;" }, /resource doc@default: it fails: something that is not an error was thrown/],
    ["is no function", { first: "return 5;" }, /resource doc@default: it fails: /],
    ["is no JavaScript", { first: "const = ;" }, /program [0-9a-f]{16}: it fails: SyntaxError/],
    [
      "keeps a count",
      {
        first: "let n = 0;",
        decide: `if (action !== "view" || (n = n + 1) < 3) return 0; return q.holds(0, (it) => n > 40 !== (rt.get(it.R, "state") !== k[0])) ? 1 : 0;`,
      },
      /did not pass its trial/,
    ],
  ])("answers as before while a bundle %s, and says that it does not take it", async (_sentence, parts, told) => {
    publish(allowing);
    await eventually(apart, (seconds) => seconds === 0);
    const before = server.logged().length;
    publish(rebuilt(allowing, { program: () => program(parts) }));
    await eventually(
      async () => {
        expect(await effect()).toBe("EFFECT_ALLOW");
        return server.logged().slice(before);
      },
      (said) => said.includes("did not pass its trial"),
    );
    expect(server.logged().slice(before)).toMatch(told);
    expect(server.isAlive()).toBe(true);
    expect(
      await eventually(
        () => children(server.pid),
        (left) => left.length === 0,
      ),
    ).toEqual([]);
  });

  test("takes the next honest one in, and counts what it refused", async () => {
    publish(denying);
    await eventually(effect, (now) => now === "EFFECT_DENY");
    const page = await server.get("/_authz/metrics");
    expect(Number(/bundle_trial_duration_count\{[^}]*status="failure"[^}]*\} (\d+)/.exec(page)?.[1])).toBeGreaterThan(10);
    expect(Number(/bundle_trial_duration_count\{[^}]*status="success"[^}]*\} (\d+)/.exec(page)?.[1])).toBeGreaterThanOrEqual(2);
  });

  test("a server does not start on a bundle that is stuck, and says why", async () => {
    const other = join(folder, "stuck.mjs");
    const bundle = rebuilt(allowing, { program: () => program({ first: "for (;;) {}" }) });
    writeFileSync(other, ungated.writeBundle({ bundle, schemas: new Map(), policies: 1 }));
    const settings = { "storage.driver": "bundle", "storage.bundle.path": other, "storage.bundle.allowUnsigned": "true" };
    await expect(ungated.start(settings)).rejects.toThrow(/did not pass its trial: resource doc@default: it gets no further/);
  });
});

/** Processes that a process has started and that have not ended. */
function children(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")
        .split(" ")
        .filter((child) => child !== "");
    } catch {
      return []; // it ended meanwhile
    }
  });
}
