/** The README tells the truth: its commands exist, its policy is the sample, its effects are what the server answers, its function is what the compiler prints, its console what authors see. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { runSession } from "../src/repl-harness.ts";
import { startServer } from "../server/harness.ts";

const readme = readFileSync("README.md", "utf8");
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { readonly scripts: { readonly [name: string]: string } };
const tour = "golden/tour";

const fenced = (language: string, document = readme): readonly string[] =>
  [...document.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, kind, text]) => (kind === language && text !== undefined ? [text] : []));

test("every script that it names exists, and there are no others than the house allows", () => {
  const named = [...readme.matchAll(/npm (?:run )?(start|test|run|[a-z]+)\b/g)]
    .map(([, name]) => name ?? "")
    .filter((name) => !["ci", "install", "pack", "run"].includes(name));
  for (const name of named) expect(Object.keys(manifest.scripts)).toContain(name);
  expect(Object.keys(manifest.scripts).toSorted()).toEqual([
    "bench",
    "build",
    "check",
    "conformance",
    "dev",
    "fuzz",
    "golden",
    "prepack",
    "start",
    "test",
  ]);
});

test("what it installs is the package of this version, with the commands of that", () => {
  const { name, version, bin } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly bin: object;
  };
  const [, section = ""] = /^## Install\n(.*?)^## /ms.exec(readme) ?? [];
  expect([...new Set(section.match(/\bauthz-\S+\.tgz/g))]).toEqual([`${name}-${version}.tgz`]);
  for (const command of Object.keys(bin)) expect(section).toContain(`\`${command}\``);
});

test("every file that it links to exists", () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path]) => path ?? "");
  expect(links.length).toBeGreaterThan(8);
  expect(links.filter((path) => !existsSync(path))).toEqual([]);
});

test("the rules that it shows stand in the sample policy", () => {
  const [rules = ""] = fenced("yaml");
  expect(readFileSync(`${tour}/policies/expense.yaml`, "utf8")).toContain(rules.trimEnd());
});

test("its curl line, sent to the sample policies, is answered with the effects of its table", async () => {
  const [, path = "", file = ""] = /curl -s 'http:\/\/localhost:3592(\S+)' -H content-type:application\/json -d @(\S+)/.exec(readme) ?? [];
  const server = await startServer({ policies: `${tour}/policies` });
  try {
    const response = await fetch(`${server.http}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: readFileSync(file, "utf8"),
    });
    const reply = (await response.json()) as {
      readonly results: readonly { readonly resource: { readonly id: string }; readonly actions: { readonly [action: string]: string } }[];
    };
    expect(response.status).toBe(200);
    const rows = reply.results.map(
      ({ resource, actions }) =>
        `| \`${resource.id}\` | ${Object.entries(actions)
          .map(([action, effect]) => `\`${action}\` ${effect}`)
          .join(", ")} |`,
    );
    expect(rows.length).toBe(3);
    for (const row of rows) expect(readme).toContain(row);
  } finally {
    await server.stop();
  }
});

test("its first question is answered as it shows", async () => {
  const [, path = "", body = ""] = /curl -s http:\/\/localhost:3592(\S+) -H content-type:application\/json -d '([^']+)'/.exec(readme) ?? [];
  const [shown = ""] = fenced("json");
  const server = await startServer({ policies: `${tour}/policies` });
  try {
    const response = await fetch(`${server.http}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body });
    const withoutCallId = (text: string): string => text.trim().replace(/"authzCallId":"[0-9A-Z]{26}"/, '"authzCallId":"..."');
    expect(withoutCallId(await response.text())).toBe(withoutCallId(shown));
  } finally {
    await server.stop();
  }
});

test("the function that it shows is part of what the compiler prints for the sample policies", () => {
  const printed = execFileSync(process.execPath, ["dist/main.js", "compile", `${tour}/policies`, "--emit=js"], { encoding: "utf8" });
  const [shown = ""] = fenced("js");
  for (const line of shown.split("\n")) expect(printed).toContain(line);
});

test("its console answers as it shows", async () => {
  const [, request = "", policies = "", use = ""] = /repl --request (\S+) --policies (\S+) --use (\S+)/.exec(readme) ?? [];
  const files = Object.fromEntries(
    readdirSync(policies).map((name) => [`${policies}/${name}`, readFileSync(`${policies}/${name}`, "utf8")]),
  );
  const [shown = ""] = fenced("console");
  const typed = [...shown.matchAll(/^authz> (.*)$/gm)].map(([, line]) => line ?? "");
  expect(typed.length).toBeGreaterThan(3);
  const setting = { request: JSON.parse(readFileSync(request, "utf8")), files, width: 100 };
  const begin = [`:load ${policies}`, `:use ${use}`];
  const [before, all] = [await runSession(begin.join("\n"), setting), await runSession([...begin, ...typed].join("\n"), setting)];
  expect(all.err).toBe("");
  expect(all.out.slice(before.out.length)).toBe(shown.replaceAll(/^authz> .*\n/gm, ""));
});

test.each(["README.md", "docs/cel-library.md"])("what %s shows of the library comes to what its comments say", (path) => {
  const examples = fenced("js", readFileSync(path, "utf8")).filter((text) => text.includes('from "authz/cel"'));
  expect(examples).toHaveLength(1);
  const told = examples.join("\n").replaceAll(/^(\S.*); \/\/ (.*)$/gm, "comes.push([$1, $2]);");
  const program = `const comes = [];\n${told.replace("authz/cel", pathToFileURL("dist/cel.js").href)}
    const text = (value) => (typeof value === "bigint" ? value + "n" : JSON.stringify(value));
    console.log(JSON.stringify(comes.map(([is, ought]) => [text(is), text(ought)])));`;
  const lines: unknown = JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }));
  if (!Array.isArray(lines)) throw new Error("the program prints a list");
  expect(lines.length).toBeGreaterThan(3);
  for (const [is, ought] of lines) expect(is).toBe(ought);
});
