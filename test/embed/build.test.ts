/** What `authz build` makes modules of: bytes, sizes, parts, refusals. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { readRequest } from "../../runtime/door/read-request.ts";
import { buildCommand } from "../../src/cli/build.ts";
import { isRefusal } from "../../src/refusal.ts";
import { openBare } from "./modules.ts";

const folder = mkdtempSync(join(tmpdir(), "authz-embed-"));
afterAll(() => rmSync(folder, { recursive: true }));
const sample = "golden/tour/policies";

/** Runs the command; answers what it says and how it ends. */
async function build(
  ...argv: readonly string[]
): Promise<{ readonly out: string; readonly err: string; readonly code: number | undefined }> {
  let [out, err] = ["", ""];
  let code: number | undefined;
  const line = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    finish: (ended: number) => void (code = ended),
    environment: {},
  };
  const command = buildCommand(line as never)
    .exitOverride()
    .configureOutput({ writeErr: (text) => void (err += text) });
  try {
    await command.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof Error && "exitCode" in error)) throw error;
    err += error.message;
    code = 1;
  }
  return { out, err, code };
}

/** The sample policies with another condition in place of one. */
function sampleWith(name: string, condition: string): string {
  const directory = join(folder, name);
  cpSync(sample, directory, { recursive: true });
  const file = join(directory, "expense.yaml");
  const before = readFileSync(file, "utf8");
  const after = before.replace("R.attr.team == P.attr.team", () => condition);
  expect(after).not.toBe(before);
  writeFileSync(file, after);
  return directory;
}

describe("bytes", () => {
  test.each(["sandbox", "node", "browser", "worker"])(
    "%s: the same sources give the same, from another path, in another order",
    async (target) => {
      const [one, other] = [join(folder, `one-${target}`), join(folder, "deep", `other-${target}`)];
      const names = readdirSync(sample);
      for (const [directory, order] of [
        [one, names],
        [other, names.toReversed()],
      ] as const) {
        mkdirSync(directory, { recursive: true });
        order.forEach((name, at) => {
          writeFileSync(join(directory, name), readFileSync(join(sample, name)));
          utimesSync(join(directory, name), at, at);
        });
      }
      const made = await Promise.all(
        [one, other].map(async (directory) => {
          const file = `${directory}.mjs`;
          expect(await build(directory, "-o", file, "--target", target)).toMatchObject({ code: 0 });
          return readFileSync(file);
        }),
      );
      expect(made[0]?.equals(made[1] ?? Buffer.alloc(0))).toBe(true);
    },
  );

  test("the built program gives what the sources give", async () => {
    const [file, ours] = [join(folder, "program.mjs"), join(folder, "sources.mjs")];
    execFileSync(process.execPath, ["dist/main.js", "build", sample, "-o", file, "--target", "worker"], { stdio: "pipe" });
    await build(sample, "-o", ours, "--target", "worker");
    expect(readFileSync(file).equals(readFileSync(ours))).toBe(true);
  });

  test("no eval, no Function, no import", async () => {
    const file = join(folder, "clean.mjs");
    await build(sample, "-o", file, "--target", "browser", "--interpreter");
    expect(readFileSync(file, "utf8")).not.toMatch(/\beval\b|\bFunction\b|\bimport\b|\brequire\b|\bnode:/);
  });
});

describe("sizes, gzipped", () => {
  const plain = 'P.attr.email.matches("@acme\\\\.com$") && R.attr.vendor.matches("^acme-") && R.attr.note.matches("ok")';
  test.each([
    ["the sample policies", "R.attr.team == P.attr.team && true", 0, 15_000],
    ["with patterns that are a text, its beginning or its end", plain, 0, 15_000],
    ["with a pattern that takes the machine of regular expressions", 'P.attr.email.matches("@[a-z]+$")', 40_000, 100_000],
    ["with a pattern that the request brings", "P.attr.email.matches(R.attr.pattern)", 40_000, 100_000],
  ])("%s", async (name, condition, least, most) => {
    const file = join(folder, "size.mjs");
    const { err } = await build(sampleWith(name, condition), "-o", file, "--target", "browser");
    expect(err).toBe("");
    const { length } = gzipSync(readFileSync(file), { level: 9 });
    expect(length).toBeGreaterThan(least);
    expect(length).toBeLessThan(most);
  });

  test.each([
    ["R.attr.at", 'timestamp(R.attr.at).getHours("Europe/Paris") == 9', true],
    ["UTC", "timestamp(R.attr.at).getHours() == 9", false],
  ])("time zones come along only where one is named: %s", async (name, condition, zones) => {
    const file = join(folder, "zones.mjs");
    await build(sampleWith(`zones ${name}`, condition), "-o", file, "--target", "browser");
    expect(readFileSync(file, "utf8").includes("DateTimeFormat")).toBe(zones);
  });
});

describe("requests are read", () => {
  const hostile = [
    {},
    {
      principal: { id: "", roles: ["a", "a", 5], attr: [] },
      resource: { kind: "expense", scope: "a..b", policyVersion: "1.0" },
      actions: [],
    },
    { principal: { id: "ann", roles: ["user"], more: 1 }, resource: null, actions: ["view", "view"], auxData: { jwt: 5, jwts: { a: 1 } } },
  ];
  test.each([
    ["node", 2],
    ["browser", 0],
    ["worker", 0],
  ])("%s: the quick way in %i places, with the same words for what is wrong", async (target, places) => {
    const file = join(folder, `read-${target}.mjs`);
    await build(sample, "-o", file, "--target", target);
    const text = readFileSync(file, "utf8");
    // Only the quick way goes over names as engines keep them: over fields of requests, and over attributes.
    expect(text.match(/\bfor\(let \w+ in /g) ?? []).toHaveLength(places);
    for (const request of hostile) expect(() => openBare(text).check({ ...request })).toThrow(wordsFor(() => readRequest({ ...request })));
  });
});

/** What is thrown. */
function wordsFor(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof Error) return `${error.name}: ${error.message}`;
  }
  return expect.fail("nothing is thrown");
}

describe("plain patterns decide as the machine does", () => {
  const texts = [
    "ann@acme.com",
    "@acme.com",
    "ann@acme.comx",
    "ann@acmeXcom",
    "",
    "a\n@acme.com",
    "acme-1",
    "xacme-1",
    "\u{1F600}@acme.com",
  ];
  test.each(["@acme\\\\.com$", "^acme-", "acme", "^(a|acme-1)$", "^acme.*$"])("%s", async (pattern) => {
    const directory = sampleWith(`plain ${pattern.replaceAll(/\W/g, "_")}${pattern.length}`, `P.attr.email.matches("${pattern}")`);
    const [quick, whole] = await Promise.all(
      [[], ["--interpreter"]].map(async (flags) => {
        const file = join(folder, `plain${flags.length}.mjs`);
        await build(directory, "-o", file, "--target", "worker", ...flags);
        return openBare(readFileSync(file, "utf8"));
      }),
    );
    for (const email of [...texts, 5, null, ["x"]]) {
      const resource = { kind: "expense", id: "1", attr: { amount: 5, owner: "bob", status: "OPEN" } };
      const request = { principal: { id: "ann", roles: ["manager"], attr: { email } }, resource, actions: ["approve"] };
      const answer = quick?.check(request);
      expect(answer).toEqual(whole?.check(request));
      expect(answer?.actions["approve"]?.effect).toBe(
        new RegExp(pattern.replaceAll("\\\\", "\\")).test(typeof email === "string" ? email : "\0") ? "EFFECT_ALLOW" : "EFFECT_DENY",
      );
    }
  });
});

describe("refusals", () => {
  test.each([
    ["an unknown target", [sample, "-o", "x.mjs", "--target", "deno"], "Allowed choices are sandbox, node, browser, worker"],
    [
      "a folder that does not exist for the output",
      [sample, "-o", "/nowhere/x.mjs", "--target", "worker"],
      "`/nowhere/x.mjs` cannot be written (ENOENT): its folder does not exist",
    ],
    ["an output that is a folder", [sample, "-o", folder, "--target", "worker"], "cannot be written (EISDIR)"],
    [
      "a kind that nobody wrote",
      [sample, "-o", "x.mjs", "--kinds", "expnse"],
      "no resource policy is of the kind `expnse`: did you mean `expense`?",
    ],
    ["no kind at all", [sample, "-o", "x.mjs", "--kinds", ","], "`--kinds` names no kind"],
    ["a signed module", [sample, "-o", "x.mjs", "--target", "browser", "--sign", "key"], "only bundles for servers are signed"],
    ["the interpreter for a server", [sample, "-o", "x.mjs", "--interpreter"], "--interpreter is for modules"],
    ["a module that would be read as CommonJS", [sample, "-o", "x.cjs", "--target", "node"], "it is an ES module: name it .mjs"],
    ["no policies", [join(folder, "empty"), "-o", "x.mjs", "--target", "node"], "there is no policy in"],
  ])("%s", async (_, argv, says) => {
    mkdirSync(join(folder, "empty"), { recursive: true });
    const { err, code } = await build(...argv);
    expect(err).toContain(says);
    expect(code).toBe(1);
  });

  test("policies that do not compile: nothing is written, and the code is 3", async () => {
    const file = join(folder, "broken.mjs");
    const { err, code } = await build(sampleWith("broken", "R.attr.team =="), "-o", file, "--target", "worker");
    expect(code).toBe(3);
    expect(err).toContain("no bundle is written");
    expect(spawnSync("test", ["-e", file]).status).toBe(1);
  });
});

describe("a part of the kinds", () => {
  const write = (name: string, files: { readonly [file: string]: object }): string => {
    const directory = join(folder, name);
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    for (const [file, policy] of Object.entries(files))
      writeFileSync(join(directory, `${file}.yaml`), JSON.stringify({ apiVersion: "api.authz.dev/v1", ...policy }));
    return directory;
  };
  const allow = (...roles: readonly string[]) => [{ actions: ["*"], effect: "EFFECT_ALLOW", roles }];
  const resource = (kind: string, scope: string, ...roles: readonly string[]) => ({
    resourcePolicy: { resource: kind, version: "default", ...(scope !== "" && { scope }), rules: allow(...roles) },
  });
  const principal = (id: string, kind: string, scope: string) => ({
    principalPolicy: {
      principal: id,
      version: "default",
      ...(scope !== "" && { scope }),
      rules: [{ resource: kind, actions: [{ action: "*", effect: "EFFECT_ALLOW" }] }],
    },
  });
  const directory = write("kinds", {
    album: resource("album", "", "user"),
    photo: resource("photo", "", "user"),
    "photo-acme": resource("photo", "acme", "user"),
    ann: principal("ann", "photo", ""),
    "ann-hr": principal("ann", "photo", "hr"),
    bob: principal("bob", "al*", ""),
    role: {
      rolePolicy: { role: "guest", version: "default", parentRoles: ["user"], rules: [{ resource: "album", allowActions: ["view"] }] },
    },
    // Without rules it makes no scope: that of the photos stays.
    "role-acme": { rolePolicy: { role: "temp", version: "default", scope: "acme", parentRoles: ["user"], rules: [] } },
  });

  test("says what is left out, and what of it stays", async () => {
    const { out } = await build(directory, "-o", join(folder, "album.mjs"), "--target", "worker", "--kinds", "album");
    expect(out).toContain(
      "left out: 4 policies\n  principal.ann.vdefault\n  principal.ann.vdefault/hr\n  resource.photo.vdefault\n  resource.photo.vdefault/acme\n",
    );
    expect(out).toContain("of them only the scopes stay: acme, hr\n");
    expect(readFileSync(join(folder, "album.mjs"), "utf8")).not.toContain("photo");
  });

  test("and its types have a kind that is named as in the key of its policy", async () => {
    const hyphenated = write("hyphenated", { leave: resource("leave-request", "", "user"), photo: resource("photo", "", "user") });
    await build(hyphenated, "-o", join(folder, "leave.mjs"), "--target", "worker", "--types", "--kinds", "leave_request");
    const declared = readFileSync(join(folder, "leave.d.mts"), "utf8");
    expect([declared.includes('readonly "leave-request"'), declared.includes("readonly photo")]).toEqual([true, false]);
  });

  test("finds the policies that a module for node finds, whatever was asked before", async () => {
    const modules = await Promise.all(
      ["node", "worker"].map(async (target) => {
        const file = join(folder, `routes-${target}.mjs`);
        await build(directory, "-o", file, "--target", target);
        return openBare(readFileSync(file, "utf8"));
      }),
    );
    const asked = ["ann", "bob", "eve"].flatMap((id) =>
      ["album", "photo", "pho to", "__proto__", "x".repeat(600)].flatMap((kind) =>
        ["", "acme", ".", "acme.x", "nowhere"].flatMap((scope) =>
          ["", "default", "other"].flatMap((policyVersion) =>
            [false, true].map((lenientScopeSearch) => {
              const principal = { id, roles: [id === "eve" ? "guest" : "user"], scope, policyVersion };
              const request = { principal, resource: { kind, id: "1", scope, policyVersion }, actions: ["view"] };
              return { request, options: { lenientScopeSearch } };
            }),
          ),
        ),
      ),
    );
    const found = new Set<string | undefined>();
    for (const { request, options } of [...asked, ...asked.toReversed()]) {
      const [quick, plain] = modules.map(({ check }) => check(request, options));
      expect([request, plain]).toEqual([request, quick]);
      found.add(quick?.actions["view"]?.matchedPolicy);
    }
    expect(found).toEqual(
      new Set([
        "NO_MATCH",
        "principal.ann.vdefault",
        "principal.bob.vdefault",
        "resource.album.vdefault",
        "resource.album.vdefault/acme",
        "resource.photo.vdefault",
        "resource.photo.vdefault/acme",
        "role.guest.vdefault",
      ]),
    );
  });

  test.each(["worker", "sandbox"])("decides about them as the whole does: %s", async (target) => {
    const [whole, part] = [join(folder, `whole-${target}.mjs`), join(folder, `part-${target}.mjs`)];
    await build(directory, "-o", whole, "--target", target);
    await build(directory, "-o", part, "--target", target, "--kinds", "album");
    const { load } = await import("../../src/embed/load.ts");
    const open = async (file: string) => (target === "worker" ? openBare(readFileSync(file, "utf8")) : load(file));
    const [all, some] = [await open(whole), await open(part)];
    for (const id of ["ann", "bob", "eve"])
      for (const role of ["user", "guest", "other"])
        for (const scope of ["", "acme", "hr", "nowhere"])
          for (const mine of ["", "hr"])
            for (const lenientScopeSearch of [false, true]) {
              const request = {
                principal: { id, roles: [role], scope: mine },
                resource: { kind: "album", id: "1", scope },
                actions: ["view", "edit"],
              };
              expect([request, some.check(request, { lenientScopeSearch })]).toEqual([request, all.check(request, { lenientScopeSearch })]);
            }
  });
});
