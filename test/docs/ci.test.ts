/** docs/ci.md, word for word in an empty folder: its shell blocks by a real shell, then real servers on what it built; and what it sends people to in deploy/. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { startBundleServer } from "../bundle/server.ts";
import { eventually, startServer } from "../server/harness.ts";
import { main } from "../server/process.ts";
import { errorsOf } from "../types/compiler.ts";

const page = readFileSync("docs/ci.md", "utf8");
const blocks = (language: string): readonly string[] =>
  [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, kind, text]) => (kind === language && text !== undefined ? [text] : []));

const place = mkdtempSync(join(tmpdir(), "authz-test-"));
const folder = join(place, "repository");
const environment = { PATH: `${join(place, "bin")}:${process.env["PATH"] ?? ""}`, HOME: place };
afterAll(() => rmSync(place, { recursive: true }));

/** Runs a script in the folder, with `authz` on the path and nothing else of this process's environment. */
function shell(
  script: string,
  more: { readonly [name: string]: string } = {},
): { readonly status: number | null; readonly text: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync("sh", ["-eu"], {
    cwd: folder,
    env: { ...environment, ...more },
    input: script,
    encoding: "utf8",
  });
  return { status, text: stdout, err: stderr };
}

let followed: ReturnType<typeof shell>;
beforeAll(() => {
  mkdirSync(join(place, "bin"));
  mkdirSync(folder);
  writeFileSync(join(place, "bin/authz"), `#!/bin/sh\nexec '${process.execPath}' '${resolve(main)}' "$@"\n`);
  chmodSync(join(place, "bin/authz"), 0o755);
  followed = shell(blocks("sh").join(""));
}); // a dozen programs, one after the other

describe("the page, followed in an empty folder,", () => {
  test("comes to its end", () => {
    expect(followed.status, followed.text + followed.err).toBe(0);
    expect(page.split("\n").length).toBeLessThanOrEqual(151);
  });

  test("makes what it says: tests, golden decisions, a signed bundle, types", () => {
    expect(followed.text).toContain("12 tests executed [12 OK]");
    expect(followed.text).toContain("1 case, all as recorded");
    expect(followed.text).toMatch(/dist\/bundle\.mjs: signed by [0-9a-f]{32}\n/);
    expect(readFileSync(join(folder, "dist/tests.xml"), "utf8")).toMatch(/^<testsuites[^]*<\/testsuites>\n$/);
    const declarations = readFileSync(join(folder, "dist/policies.d.ts"), "utf8");
    const [program = ""] = blocks("ts");
    expect(errorsOf(declarations, program)).toEqual([]);
    const mistaken = [program.replace('["view"]', '["veiw"]'), program.replace('"user"', '"usr"')];
    expect(mistaken.map((each) => errorsOf(declarations, each).length)).toEqual([1, 1]);
  });

  test("ends with a server that serves the signed bundle, and refuses it after one byte is changed", () => {
    const { results } = JSON.parse(/^\{"results.*?\}$/m.exec(followed.text)?.[0] ?? "{}") as {
      readonly results: readonly { readonly actions: object }[];
    };
    expect(results.map(({ actions }) => actions)).toEqual([
      { view: "EFFECT_ALLOW", edit: "EFFECT_ALLOW" },
      { view: "EFFECT_ALLOW", edit: "EFFECT_DENY" },
    ]);
    expect(followed.err.match(/authz: error: the bundle `published\/bundle\.mjs`: it is damaged/g)).toHaveLength(2);
  });

  test("does not leave the private key to others, or to git", () => {
    expect(shell("ls -l bundle.key").text).toMatch(/^-rw-------/);
    expect(shell("git init -q . && git add -A && git ls-files").text.split("\n")).not.toContain("bundle.key");
  });
});

test("the server of the page follows what is published", async () => {
  const { storage } = parse(/cat > server\.yaml <<'END'\n(.*?)^END$/ms.exec(page)?.[1] ?? "") as {
    readonly storage: { readonly driver: string; readonly bundle: { readonly [key: string]: string } };
  };
  const { path = "", publicKeys = "", ...others } = storage.bundle;
  const publish = "cp dist/bundle.mjs published/new && mv published/new published/bundle.mjs";
  expect(shell(publish).status).toBe(0);
  const settings = {
    "storage.driver": storage.driver,
    "storage.bundle.path": join(folder, path),
    "storage.bundle.publicKeys": join(folder, publicKeys),
    ...Object.fromEntries(Object.entries(others).map(([key, value]) => [`storage.bundle.${key}`, value])),
  };
  const server = await startServer({ policies: {}, settings });
  try {
    const change = "cp policies/document.yaml old && sed -i 's/\\[user\\]/[member]/' policies/document.yaml";
    const build = "authz build policies -o dist/bundle.mjs --sign bundle.key";
    expect(
      shell(`cp dist/bundle.mjs good\n${change}\n${build}\n${publish}\nmv old policies/document.yaml; mv good dist/bundle.mjs`).status,
    ).toBe(0);
    const request = JSON.parse(readFileSync(join(folder, "requests/owner-edits.json"), "utf8")) as object;
    const { results } = await eventually(
      async () =>
        (await server.post("/api/check/resources", request)).json as { readonly results: readonly { readonly actions: object }[] },
      ({ results: [first] }) => JSON.stringify(first?.actions).includes("EFFECT_DENY"),
    );
    expect(results[0]?.actions).toEqual({ view: "EFFECT_DENY", edit: "EFFECT_DENY" });
  } finally {
    await server.stop();
  }
});

test("a server takes what was built over https, and keeps the last good policies when one byte of the next is changed", async () => {
  const bytes = readFileSync(join(folder, "dist/bundle.mjs"));
  const request = JSON.parse(readFileSync(join(folder, "requests/owner-edits.json"), "utf8")) as object;
  const site = await startBundleServer();
  site.publish(bytes);
  const settings = {
    "storage.driver": "bundle",
    "storage.bundle.url": site.url,
    "storage.bundle.caCert": site.caCert,
    "storage.bundle.publicKeys": join(folder, "bundle.key.pub"),
    "storage.bundle.updatePollInterval": "100ms",
    "storage.bundle.cacheDir": join(place, "cache"),
  };
  const server = await startServer({ policies: {}, settings });
  try {
    const asked = async (): Promise<unknown> => {
      const { status, json } = await server.post("/api/check/resources", request);
      return [status, json.results];
    };
    const before = await asked();
    expect(before).toMatchObject([200, [{ actions: { edit: "EFFECT_ALLOW" } }, { actions: { edit: "EFFECT_DENY" } }]]);
    const changed = Buffer.from(bytes);
    changed[300] = (changed[300] ?? 0) ^ 1;
    site.publish(changed);
    await eventually(
      () => server.logged().map(({ message }) => String(message)),
      (messages) => messages.some((message) => message.includes("damaged")),
    );
    expect(await asked()).toEqual(before);
    await expect(startServer({ policies: {}, settings: { ...settings, "storage.bundle.cacheDir": join(place, "empty") } })).rejects.toThrow(
      /damaged/,
    );
  } finally {
    await server.stop();
    await site.close();
  }
});

interface Action {
  readonly inputs: { readonly [name: string]: { readonly default?: string } };
  readonly runs: {
    readonly steps: readonly {
      readonly id: string;
      readonly if?: string;
      readonly env: { readonly [name: string]: string };
      readonly run: string;
    }[];
  };
}

describe("the action", () => {
  const action = parse(readFileSync("deploy/github-action/action.yml", "utf8")) as Action;

  test("has every input that the page gives it", () => {
    const [workflow = ""] = blocks("yaml");
    const { jobs } = parse(workflow) as {
      readonly jobs: { readonly policies: { readonly steps: readonly { readonly uses?: string; readonly with?: object }[] } };
    };
    const step = jobs.policies.steps.find(({ uses }) => uses?.endsWith("deploy/github-action") === true);
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? { nothing: "" })));
  });

  test("puts no input into a script", () => {
    for (const { run } of action.runs.steps) expect(run).not.toContain("${{");
  });

  /** Runs its steps as a runner does: inputs become variables, a step whose condition does not hold is left out, the first that fails ends it. */
  function act(given: { readonly [name: string]: string }): {
    readonly status: number;
    readonly output: string;
    readonly failed?: string;
    readonly err: string;
  } {
    const inputs = {
      ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ""])),
      command: "authz",
      ...given,
    };
    const value = (name: string): string => inputs[name as keyof typeof inputs] ?? "";
    writeFileSync(join(place, "output"), "");
    for (const step of action.runs.steps) {
      const condition = /^inputs\.(\S+) != ''$/.exec(step.if ?? "");
      if (step.if !== undefined && condition === null) throw new Error(`the condition of ${step.id} is another one`);
      if (condition !== null && value(condition[1] ?? "") === "") continue;
      const env = Object.fromEntries(
        Object.entries(step.env).map(([name, text]) => [
          name,
          text.replace(/^\$\{\{ inputs\.(\S+) \}\}$/, (_all, input: string) => value(input)),
        ]),
      );
      const { status, err } = shell(step.run, { ...env, GITHUB_OUTPUT: join(place, "output"), TMPDIR: join(place, "runner") });
      if (status !== 0) return { status: status ?? 1, output: "", failed: step.id, err };
    }
    return { status: 0, output: readFileSync(join(place, "output"), "utf8"), err: "" };
  }

  test("compiles, tests, compares, builds, signs, verifies and writes types", () => {
    mkdirSync(join(place, "runner"), { recursive: true });
    const done = act({
      golden: "golden",
      junit: "out/tests.xml",
      bundle: "out/bundle.mjs",
      "signing-key": readFileSync(join(folder, "bundle.key"), "utf8"),
      "public-key": "bundle.key.pub",
      types: "out/policies.d.ts",
    });
    expect(done).toMatchObject({ status: 0 });
    expect(done.output).toMatch(/^sha256=[0-9a-f]{64}\n$/);
    expect(readFileSync(join(folder, "out/bundle.mjs"))).toEqual(readFileSync(join(folder, "dist/bundle.mjs")));
    expect(readFileSync(join(folder, "out/tests.xml"), "utf8")).toContain("<testsuites");
    expect(existsSync(join(folder, "out/policies.d.ts"))).toBe(true);
    // Nothing of the key is left.
    expect(execFileSync("ls", ["-A", join(place, "runner")], { encoding: "utf8" })).toBe("");
  });

  test.each<[says: string, given: { readonly [name: string]: string }, failed: string]>([
    ["a test fails", { policies: "failing" }, "compile"],
    ["an answer is another than was recorded", { policies: "other", golden: "golden" }, "golden"],
    ["the key is none that servers trust", { bundle: "out/b.mjs", "signing-key": "not a key" }, "build"],
  ])("fails when %s", (_, given, failed) => {
    const policy = readFileSync(join(folder, "policies/document.yaml"), "utf8");
    const denying = policy.replace("actions: [edit, delete]", "actions: [edit, delete, view]");
    for (const name of ["failing", "other"]) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, "failing/document.yaml"), denying);
    copyFileSync(join(folder, "policies/document_test.yaml"), join(folder, "failing/document_test.yaml"));
    writeFileSync(join(folder, "other/document.yaml"), denying);
    const { status, failed: step, err } = act(given);
    expect([status !== 0, step], err).toEqual([true, failed]);
    // What would be published has nothing beside it.
    const { bundle } = given;
    if (bundle !== undefined) expect(readdirSync(dirname(join(folder, bundle))).filter((name) => name.startsWith("b."))).toEqual([]);
  });
});

describe("the hook", () => {
  const commit = (message: string): ReturnType<typeof shell> =>
    shell(`git -c user.name=a -c user.email=a@example.com commit -q -m '${message}'`, { AUTHZ: "authz" });

  test("lets good policies through, and stops what breaks a test or a golden decision, as it is staged", () => {
    shell("rm -rf failing other out && git init -q . && git add -A");
    copyFileSync("deploy/pre-commit/pre-commit", join(folder, ".git/hooks/pre-commit"));
    chmodSync(join(folder, ".git/hooks/pre-commit"), 0o755);
    expect(commit("first")).toMatchObject({ status: 0 });

    const policy = readFileSync(join(folder, "policies/document.yaml"), "utf8");
    const file = join(folder, "policies/document.yaml");
    writeFileSync(file, policy.replace("owner == P.id", "owner != P.id"));
    // What is not staged is not looked at.
    expect(shell("printf '%s\\n' x > other.txt && git add other.txt")).toMatchObject({ status: 0 });
    expect(commit("something else")).toMatchObject({ status: 0 });
    shell("git add policies");
    const stopped = commit("broken");
    expect(stopped.status).toBe(1);
    expect(stopped.text + stopped.err).toContain("FAILED");
    writeFileSync(file, policy);
    // It is staged still.
    expect(commit("broken").status).toBe(1);
    shell("git add policies");
    writeFileSync(
      join(folder, "golden/owner-edits.yaml"),
      readFileSync(join(folder, "golden/owner-edits.yaml"), "utf8").replace("EFFECT_DENY", "EFFECT_ALLOW"),
    );
    shell("git add golden");
    expect(commit("another answer").err).toContain("owner-edits");

    // The policies may all go, with the decisions of theirs.
    shell("git rm -rqf policies");
    const left = commit("decisions of nobody");
    expect([left.status, left.err]).toEqual([
      1,
      "authz: error: this commit leaves no `policies`, but golden decisions of it in `golden`: remove them too\n",
    ]);
    shell("git rm -rqf golden");
    expect(commit("none left")).toMatchObject({ status: 0 });
  });
});
