/** The README tells the truth: its commands exist, its policy is the sample, its effects are what the server answers, its function is what the compiler prints. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startServer } from "../server/harness.ts";

const readme = readFileSync("README.md", "utf8");
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { readonly scripts: { readonly [name: string]: string } };
const tour = "golden/tour";

const fenced = (language: string): readonly string[] =>
  [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, kind, text]) => (kind === language && text !== undefined ? [text] : []));

test("every script that it names exists, and there are no others than the house allows", () => {
  const named = [...readme.matchAll(/npm (?:run )?(start|test|run|[a-z]+)\b/g)]
    .map(([, name]) => name ?? "")
    .filter((name) => !["ci", "run"].includes(name));
  for (const name of named) expect(Object.keys(manifest.scripts)).toContain(name);
  expect(Object.keys(manifest.scripts).toSorted()).toEqual([
    "bench",
    "build",
    "check",
    "conformance",
    "dev",
    "fuzz",
    "golden",
    "start",
    "test",
  ]);
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

test("the function that it shows is part of what the compiler prints for the sample policies", () => {
  const printed = execFileSync(process.execPath, ["dist/main.js", "compile", `${tour}/policies`, "--emit=js"], { encoding: "utf8" });
  const [shown = ""] = fenced("js");
  for (const line of shown.split("\n")) expect(printed).toContain(line);
});
