/** Where `now()` is written: what the clock gives in the time zone of the machine, what somebody gives in UTC (semantics 7.2). */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { eventually, temporaryFolder } from "./harness.ts";
import { runProgram, startProgram } from "./process.ts";

// Half a year back it is another season: where clocks are changed, another offset.
const written = '{"text": string(now()), "value": now(), "seasonBefore": string(now() - duration("4368h")), "hour": now().getHours()}';
const compared = "timestamp(string(now())) == now() && string(now()) == string(timestamp(string(now())))";
const policy = `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: '${compared}' } }
      output: { when: { ruleActivated: '${written}' } }
`;
const given = "2026-07-01T12:30:00+05:00";
const suite = `
name: clock
options: { now: "${given}" }
principals: { ann: { id: ann, roles: [user] } }
resources: { doc: { id: "1", kind: doc } }
tests:
  - name: is written in UTC
    input: { principals: [ann], resources: [doc], actions: [view] }
    expected:
      - principal: ann
        resource: doc
        actions: { view: EFFECT_ALLOW }
        outputs:
          - action: view
            expected:
              - src: resource.doc.vdefault#rule-001
                val: { text: "2026-07-01T07:30:00Z", value: "2026-07-01T07:30:00Z", seasonBefore: "2025-12-31T07:30:00Z", hour: 7 }
`;
const folder = temporaryFolder({ "policies/doc.yaml": policy, "suites/doc.yaml": policy, "suites/clock_test.yaml": suite });
afterAll(() => rmSync(folder, { recursive: true }));

const asked = { principal: { id: "ann", roles: ["user"] }, resource: { kind: "doc", id: "1" }, actions: ["view"] };

/** What is written of one instant. */
interface Written {
  readonly text: string;
  readonly value: string;
  readonly seasonBefore: string;
  readonly hour: number;
}

/** What a server answers that runs in a time zone. */
async function askServer(zone: string): Promise<Written> {
  const free = ["--set=server.httpListenAddr=127.0.0.1:0", "--set=server.grpcListenAddr=127.0.0.1:0"];
  const run = startProgram(["server", `--set=storage.disk.directory=${join(folder, "policies")}`, ...free], {
    environment: { TZ: zone },
  });
  const served = /HTTP is served at (\S+:\d+)"/;
  const { stdout } = await eventually(run.output, (output) => served.test(output.stdout));
  const { principal, resource, actions } = asked;
  const body = JSON.stringify({ requestId: "1", principal, resources: [{ resource, actions }] });
  const reply = await fetch(`http://${served.exec(stdout)?.[1]}/api/check/resources`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const { results } = (await reply.json()) as { readonly results: readonly [{ readonly outputs: readonly [{ readonly val: Written }] }] };
  run.process.kill("SIGTERM");
  await run.exited;
  return results[0].outputs[0].val;
}

/** What a program writes as JSON that runs in a time zone. */
async function askProgram(zone: string, script: string): Promise<unknown> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { PATH: process.env["PATH"], TZ: zone },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (err += text));
  await new Promise((resolve) => child.once("close", resolve));
  expect(err).toBe("");
  return JSON.parse(out);
}

const dist = (name: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../dist", name)).href);

/** A program that asks what `check` asks, with these options. */
const asking = (opening: string, options: string): string =>
  `${opening} console.log(JSON.stringify(check(${JSON.stringify(asked)}, ${options}).outputs[0].val));`;
const loading = (sandbox: boolean): string =>
  `import { load } from ${dist("embed.js")}; const { check } = await load(${JSON.stringify(join(folder, "policies"))}, { sandbox: ${sandbox} });`;
const moduleFile = join(folder, "policies.mjs");
const importing = `import { check } from ${JSON.stringify(pathToFileURL(moduleFile).href)};`;
const evaluating = (options: string): string =>
  `import { compile, toJson } from ${dist("cel.js")}; console.log(JSON.stringify(toJson(compile(${JSON.stringify(written)}).evaluate({}, ${options}))));`;

const zones = ["America/St_Johns", "Asia/Kathmandu"];
const utc = { text: "2026-07-01T07:30:00Z", value: "2026-07-01T07:30:00Z", seasonBefore: "2025-12-31T07:30:00Z", hour: 7 };

/** The offset of a zone at the instant that a text says, as RFC 3339 writes it. */
function offsetAt(zone: string, text: string): string {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(new Date(text));
  return parts.find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "") || "Z";
}

function expectLocal(zone: string, { text, value, seasonBefore, hour }: Written): void {
  const offsets = [text, value, seasonBefore].map((one) => one.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?/, ""));
  expect(offsets).toEqual([text, value, seasonBefore].map((one) => offsetAt(zone, one)));
  expect(Math.abs(Date.parse(text) - Date.now())).toBeLessThan(60_000);
  expect([value, hour]).toEqual([text, new Date(text).getUTCHours()]);
  expect(Date.parse(text) - Date.parse(seasonBefore)).toBe(4_368 * 3_600_000);
}

describe.each(zones)("in %s", (zone) => {
  test("a server writes it there, and reads its hour in UTC", async () => {
    expectLocal(zone, await askServer(zone));
  });

  test("the console writes it there", async () => {
    const { stdout } = await runProgram(["repl", "--output=json", "-e", written], { environment: { TZ: zone } });
    expectLocal(zone, (JSON.parse(stdout) as { readonly value: Written }).value);
  });

  test("the console writes an instant that somebody gave as it was given", async () => {
    const { stdout } = await runProgram(["repl", "-e", `:now ${given}`, "-e", "string(now())"], { environment: { TZ: zone } });
    expect(stdout).toContain(`"${given}"`);
  });

  test("a suite writes it in UTC, whatever offset it was given with", async () => {
    expect(await runProgram(["compile", join(folder, "suites")], { environment: { TZ: zone } })).toMatchObject({ code: 0, stderr: "" });
  });

  test.each([
    ["policies that a program loaded", (options: string) => asking(loading(false), options)],
    ["policies in a sandbox", (options: string) => asking(loading(true), options)],
    ["a built module", (options: string) => asking(importing, options)],
    ["an expression of the CEL library", evaluating],
  ])("%s: the clock there, a given instant in UTC, and so in turn", async (_what, script) => {
    await runProgram(["build", join(folder, "policies"), "-o", moduleFile, "--target", "browser"]);
    expectLocal(zone, (await askProgram(zone, script("{}"))) as Written);
    expect(await askProgram(zone, script(`{ now: new Date("${given}") }`))).toEqual(utc);
  });

  test("a sandbox that is asked in turn", async () => {
    const script = `${loading(true)} const said = [{}, { now: new Date("${given}") }, {}];
      console.log(JSON.stringify(said.map((options) => check(${JSON.stringify(asked)}, options).outputs[0].val)));`;
    const [first, second, third] = (await askProgram(zone, script)) as readonly [Written, Written, Written];
    expectLocal(zone, first);
    expect(second).toEqual(utc);
    expectLocal(zone, third);
  });
});
