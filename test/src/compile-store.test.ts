/** `authz compile-store`: real folders and databases, good and broken in many ways. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { documentKey } from "../../compiler/policy/names.ts";
import { readPolicy } from "../../compiler/policy/read.ts";
import { disableInvalid } from "../../src/cli/compile-store/disable.ts";
import { readStore } from "../../src/cli/compile-store/read.ts";
import { run } from "../../src/cli/index.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { emptyBatch, type Store } from "../../src/store/store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "authz-compile-store-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Files = { readonly [path: string]: string };

/** A store that holds policies, by what a configuration says of it. */
type Make = (files: Files) => Promise<{ readonly settings: readonly string[]; readonly texts: () => Promise<Files> }>;

const onDisk: Make = async (files) => {
  const directory = join(folder, "policies");
  mkdirSync(directory, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return {
    settings: ["--set", `storage.driver=disk,storage.disk.directory=${directory}`],
    texts: async () => Object.fromEntries(readdirSync(directory).map((path) => [path, readFileSync(join(directory, path), "utf8")])),
  };
};

const keyOf = (path: string, text: string): string => {
  const document = readPolicy({ path, text }, () => undefined);
  return document === undefined ? path : documentKey(document);
};

const inDatabase: Make = async (files) => {
  const path = join(folder, "store.db");
  const open = () => openSqliteStore({ place: { kind: "file", path, readOnly: false, setting: "storage.sqlite.path" } });
  const store = open();
  await store.read();
  const putPolicies = Object.entries(files).map(([name, text]) => ({ path: keyOf(name, text), text, isDisabled: false }));
  await store.write({ ...emptyBatch, putPolicies }, 0);
  await store.close();
  return {
    settings: ["--set", `storage.driver=sqlite,storage.sqlite.path=${path}`],
    texts: async () => {
      const again = open();
      const { changed } = await again.read();
      await again.close();
      return Object.fromEntries(changed.map((source) => [source.path, source.text]));
    },
  };
};

const stores = [
  ["disk", onDisk],
  ["sqlite", inDatabase],
] as const;

async function compileStore(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ["", ""];
  const code = await run(["compile-store", ...argv], {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    terminal: false,
    environment: {},
  });
  return { code, out: out.replaceAll(folder, "DIR"), err: err.replaceAll(folder, "DIR") };
}

const head = "apiVersion: api.authz.dev/v1\n";
const resource = (name: string, { scope = "", more = "", expr = "true", says = "" } = {}): string =>
  `${head}resourcePolicy:
  resource: ${name}
  version: default
${scope === "" ? "" : `  scope: ${scope}\n`}${says === "" ? "" : `  scopePermissions: ${says}\n`}${more}  rules:
    # who may look
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: ${expr}
`;
const variables = (name: string, definitions: string, imports = ""): string =>
  `${head}exportVariables: { name: ${name}, definitions: { ${definitions} } }${imports}\n`;
const importing = (...names: readonly string[]): string => `  variables: { import: [${names.join(", ")}] }\n`;
const roles = (name: string, more: string): string => `${head}derivedRoles:\n  name: ${name}\n${more}`;
const owner = (expr: string): string => `  definitions: [{ name: owner, parentRoles: [user], condition: { match: { expr: ${expr} } } }]\n`;

const good: Files = { "album.yaml": resource("album"), "user.yaml": resource("user", { expr: "R.attr.open" }) };

describe.each(stores)("what is invalid is disabled, and nothing else (%s)", (_, make) => {
  test.each<readonly [broken: string, files: Files, disabled: Files]>([
    ["an expression that is not CEL", { "a.yaml": resource("a", { expr: "R.attr." }) }, { "resource.a.vdefault": "expected" }],
    [
      "types that do not fit",
      { "a.yaml": resource("a", { expr: "1 + true" }) },
      { "resource.a.vdefault": "`\\+` cannot combine int and bool" },
    ],
    ["a variable that nothing defines", { "a.yaml": resource("a", { expr: "V.x" }) }, { "resource.a.vdefault": "no variable named `x`" }],
    [
      "an import that is not there",
      { "a.yaml": resource("a", { more: importing("no") }) },
      { "resource.a.vdefault": "no variables named `no`" },
    ],
    [
      "a set that is wrong, and who imports it; who does not stays",
      { "s.yaml": variables("s", "x: 1 + true"), "a.yaml": resource("a", { more: importing("s"), expr: "V.x" }), "b.yaml": resource("b") },
      { "export_variables.s": "cannot combine int and bool", "resource.a.vdefault": "it needs `export_variables.s`" },
    ],
    [
      "a set that one importer has all the names for, and the other not: the set stays",
      {
        "s.yaml": variables("s", "x: V.other"),
        "a.yaml": resource("a", { more: "  variables: { import: [s], local: { other: 'true' } }\n", expr: "V.x" }),
        "b.yaml": resource("b", { more: importing("s"), expr: "V.x" }),
      },
      { "resource.b.vdefault": "no variable named `other`" },
    ],
    [
      "derived roles that lack a variable, and who names them",
      {
        "r.yaml": roles("r", owner("V.no")),
        "a.yaml": resource("a", { more: "  importDerivedRoles: [r]\n" }).replace("roles: [user]", "derivedRoles: [owner]"),
      },
      { "derived_roles.r": "no variable named `no`", "resource.a.vdefault": "it needs `derived_roles.r`" },
    ],
    [
      "a chain: variables, derived roles, a policy, and the policies below it",
      {
        "s.yaml": variables("s", "x: 1 + true"),
        "r.yaml": roles("r", `${importing("s")}${owner("V.x")}`),
        "a.yaml": resource("a", { more: "  importDerivedRoles: [r]\n" }).replace("roles: [user]", "derivedRoles: [owner]"),
        "b.yaml": resource("a", { scope: "acme" }),
        "c.yaml": resource("a", { scope: "acme.hr" }),
        "d.yaml": resource("d", { scope: "acme" }),
        "e.yaml": resource("d"),
      },
      {
        "export_variables.s": "cannot combine int and bool",
        "derived_roles.r": "it needs `export_variables.s`",
        "resource.a.vdefault": "it needs `derived_roles.r`",
        "resource.a.vdefault/acme": "it needs `resource.a.vdefault`",
        "resource.a.vdefault/acme.hr": "it needs `resource.a.vdefault`",
      },
    ],
    [
      "no policy above, for more than a report would name",
      Object.fromEntries(Array.from({ length: 30 }, (__, index) => [`a${index}.yaml`, resource("a", { scope: `acme.s${index}` })])),
      Object.fromEntries(
        Array.from({ length: 30 }, (__, index) => [`resource.a.vdefault/acme.s${index}`, "there is no policy `resource.a.vdefault/acme"]),
      ),
    ],
    [
      "scope permissions of which most say otherwise",
      {
        "a.yaml": resource("a", { says: "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS" }),
        "b.yaml": resource("b"),
      },
      { "resource.a.vdefault": "requires its parents' consent" },
    ],
    [
      "variables in a circle through a set: who closes it",
      {
        "s.yaml": variables("s", "x: V.y"),
        "a.yaml": resource("a", { more: "  variables: { import: [s], local: { y: V.x } }\n", expr: "V.x" }),
        "b.yaml": resource("b", { more: "  variables: { import: [s], local: { y: 'true' } }\n", expr: "V.x" }),
      },
      { "resource.a.vdefault": "depend on each other in a cycle" },
    ],
    [
      "variables in a circle through two sets: who imports both",
      {
        "s.yaml": variables("s", "x: V.y"),
        "t.yaml": variables("t", "y: V.x"),
        "a.yaml": resource("a", { more: importing("s", "t"), expr: "V.x" }),
        "b.yaml": resource("b", { more: "  variables: { import: [s], local: { y: 'true' } }\n", expr: "V.x" }),
      },
      { "resource.a.vdefault": "depend on each other in a cycle" },
    ],
    [
      "a name that the policy and an import define",
      {
        "s.yaml": variables("s", "x: '1 == 1'"),
        "a.yaml": resource("a", { more: "  variables: { import: [s], local: { x: 'true' } }\n" }),
      },
      { "resource.a.vdefault": "the variable `x` has 2 definitions" },
    ],
  ])("%s", async (_broken, files, disabled) => {
    const { settings, texts } = await make({ ...good, ...files });
    const before = await texts();
    const dry = await compileStore(...settings, "--disable-invalid", "--dry-run", "--output=json");
    expect(await texts()).toEqual(before);
    const done = await compileStore(...settings, "--disable-invalid", "--output=json");
    expect([dry.code, done.code]).toEqual([3, 0]);
    const [told, said] = [dry, done].map(({ out }) => JSON.parse(out));
    expect([told.disabling.kind, said.disabling.kind, said.errors]).toEqual(["would disable", "disabled", 0]);
    expect(told.disabling.policies).toEqual(said.disabling.policies);

    const named: readonly { readonly id: string; readonly key: string; readonly reason: string }[] = said.disabling.policies;
    expect(named.map(({ key }) => key).toSorted()).toEqual(Object.keys(disabled).toSorted());
    for (const { key, reason } of named) expect(reason).toMatch(new RegExp(disabled[key] ?? "^$"));

    // Nothing but the field is new, and nothing else is touched.
    const after = await texts();
    for (const [path, text] of Object.entries(before))
      expect(after[path]).toBe(named.some(({ id }) => id === path) ? text.replace(head, `${head}disabled: true\n`) : text);

    const again = await compileStore(...settings);
    expect([again.code, again.err]).toEqual([0, ""]);
    expect(again.out).toContain(`, ${named.length} of them disabled, no errors, `);
  });
});

describe.each(stores)("where disabling does not help nothing is touched (%s)", (driver, make) => {
  test.each<readonly [broken: string, text: string, why: string]>([
    ["a file that is half-written", `${head}resourcePolicy:\n  resource: "a`, "a quoted string is not closed"],
    ["a field that policies do not have", resource("a", { more: "  nosuch: 1\n" }), "unknown field `nosuch`"],
    ["a rule for nobody", resource("a", { expr: "V.no" }).replace("      roles: [user]\n", ""), "names neither roles nor derived roles"],
    ["something that is no policy", "just text", "mapping"],
  ])("%s", async (_, text, why) => {
    const { settings, texts } = await make({ ...good, "a.yaml": text, "b.yaml": resource("b", { expr: "1 + true" }) });
    const before = await texts();
    const { code, out, err } = await compileStore(...settings, "--disable-invalid");
    expect(code).toBe(3);
    const [, named = ""] = out.split("nothing is disabled, because that would not help with these; fix or remove them first:\n");
    expect(named).toMatch(new RegExp(`^  ${(driver === "disk" ? "a.yaml" : keyOf("a.yaml", text)).replaceAll(".", "\\.")}: .*${why}`));
    expect(named).not.toContain("resource.b");
    expect(err).toMatch(/^authz: error: \d errors in 4 policies of the (folder|database)/);
    expect(await texts()).toEqual(before);
  });
});

test("of two files that define one policy the second is disabled", async () => {
  const { settings, texts } = await onDisk({ "a.yaml": resource("a"), "b.yaml": resource("a", { expr: "R.attr.b" }) });
  const { code, out } = await compileStore(...settings, "--disable-invalid");
  expect(code).toBe(0);
  expect(out).toContain(
    "disabled, so that the others compile:\n  b.yaml (resource.a.vdefault): the policy `resource.a.vdefault` is already defined in `a.yaml`\n",
  );
  expect((await texts())["a.yaml"]).toBe(resource("a"));
});

describe("the report", () => {
  test("of a good store counts", async () => {
    const { settings } = await onDisk({ ...good, "off.yaml": resource("off").replace(head, `${head}disabled: true\n`) });
    expect(await compileStore(...settings)).toEqual({
      code: 0,
      out: "3 policies in the folder `DIR/policies`, 1 of them disabled, no errors, no warnings\n",
      err: "",
    });
  });

  test("of a broken one shows the frame and the hint of every problem", async () => {
    const { settings } = await onDisk({
      ...good,
      "a.yaml": resource("a", { more: importing("no") }),
      "b.yaml": resource("b", { expr: "1 + true" }),
    });
    const { code, out, err } = await compileStore(...settings);
    expect(code).toBe(3);
    expect(out).toMatch(
      /a\.yaml:5:\d+: error unknown-import: [^\n]*\n {2}\|\n5 \| {3}variables: \{ import: \[no\] \}\n {2}\| +\^\^\n {2}= hint: /,
    );
    expect(out).toMatch(/b\.yaml:12:\d+: error invalid-expression: /);
    expect(err).toBe("authz: error: 2 errors in 4 policies of the folder `DIR/policies`\n");
  });

  test("looks at schemas when a server would, and then as a server does: they are no reason not to start", async () => {
    const text = resource("a", { more: '  schemas: { resourceSchema: { ref: "authz:///no.json" } }\n' });
    const { settings } = await onDisk({ "a.yaml": text });
    const off = await compileStore(...settings);
    const on = await compileStore(...settings, "--set", "schema.enforcement=reject");
    expect([off.code, off.out.includes("invalid-schema"), on.code, on.out.includes("warning invalid-schema")]).toEqual([0, false, 0, true]);
    expect(on.out).toMatch(/no errors, 1 warning\n$/);
  });

  test("for machines is JSON", async () => {
    const { settings } = await onDisk({ "a.yaml": resource("a", { expr: "1 + true" }) });
    const { code, out } = await compileStore(...settings, "--output=json");
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      store: "the folder `DIR/policies`",
      policies: 1,
      disabledPolicies: 0,
      errors: 1,
      warnings: 0,
      diagnostics: [{ file: "a.yaml", severity: "error", code: "invalid-expression" }],
    });
  });

  test("takes a configuration file as the server takes it", async () => {
    await onDisk(good);
    const file = join(folder, "authz.yaml");
    writeFileSync(file, `storage:\n  driver: disk\n  disk:\n    directory: ${join(folder, "policies")}\n`);
    expect((await compileStore("--config", file)).out).toMatch(/^2 policies in /);
    writeFileSync(file, "storage: { driver: nosuch }\n");
    const { code, err } = await compileStore("--config", file);
    expect([code, err]).toEqual([1, expect.stringContaining("the configuration cannot be used")]);
  });
});

describe("a store that cannot be read", () => {
  test.each<readonly [what: string, settings: string, says: RegExp]>([
    [
      "a folder that is not there",
      "storage.driver=disk,storage.disk.directory=DIR/none",
      /`DIR\/none` does not exist \(setting storage\.disk\.directory\)/,
    ],
    [
      "a database that is not there: none is made",
      "storage.driver=sqlite,storage.sqlite.path=DIR/none.db",
      /the database `DIR\/none\.db` does not exist \(setting storage\.sqlite\.path\)/,
    ],
    ["a file that is no database", "storage.driver=sqlite,storage.sqlite.path=DIR/junk.db", /the file is not a database/],
  ])("%s", async (_, settings, says) => {
    writeFileSync(
      join(folder, "junk.db"),
      "this is no database, and longer than a hundred bytes so that nobody takes it for an empty one: .............",
    );
    const { code, out, err } = await compileStore("--set", settings.replaceAll("DIR", folder), "--disable-invalid");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(says);
    expect(readdirSync(folder)).toEqual(["junk.db"]);
  });
});

describe("a store that nobody changes through us", () => {
  test("a folder that is for reading only is reported", async () => {
    const { settings, texts } = await onDisk({ "a.yaml": resource("a", { expr: "1 + true" }) });
    const before = await texts();
    const { code, out } = await compileStore(...settings, "--set", "storage.disk.readOnly=true", "--disable-invalid");
    expect(code).toBe(3);
    expect(out).toContain("nothing is disabled:\n  ");
    expect(await texts()).toEqual(before);
  });

  test("a git repository is reported", async () => {
    await onDisk({ "a.yaml": resource("a", { expr: "1 + true" }) });
    const directory = join(folder, "policies");
    const git = (...argv: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=ann", "-c", "user.email=ann@example.com", ...argv], { cwd: directory, stdio: "pipe" });
    git("init", "--quiet", "--initial-branch=main");
    git("add", ".");
    git("commit", "--quiet", "--message=policies");
    const settings = `storage.driver=git,storage.git.protocol=file,storage.git.url=file://${directory},storage.git.branch=main,storage.git.checkoutDir=${join(folder, "work")}`;
    const { code, out } = await compileStore("--set", settings, "--disable-invalid");
    expect(code).toBe(3);
    expect(out).toContain("a.yaml:12:");
    expect(out).toContain("nothing is disabled:\n  ");
  });
});

test("--dry-run is nothing without --disable-invalid", async () => {
  const { code, err } = await compileStore("--dry-run");
  expect([code, err]).toEqual([80, expect.stringContaining("--dry-run belongs to --disable-invalid")]);
});

test("a file that cannot be read is counted, and keeps everything as it is", async () => {
  const { settings } = await onDisk({ ...good, "b.yaml": resource("b", { expr: "1 + true" }) });
  writeFileSync(join(folder, "policies", "binary.yaml"), Buffer.from([0xff, 0xfe]));
  chmodSync(join(folder, "policies", "binary.yaml"), 0o600);
  const { code, out, err } = await compileStore(...settings, "--disable-invalid");
  expect(code).toBe(3);
  expect(out).toMatch(/^binary\.yaml: error unreadable-file: the file is not UTF-8 text/);
  expect(out).toContain("fix or remove them first:\n  binary.yaml: the file is not UTF-8 text\n");
  expect(err).toContain("2 errors in 3 policies");
});

test("who writes at the same time loses nothing: what is invalid is looked for again", async () => {
  await inDatabase({ ...good, "b.yaml": resource("b", { expr: "1 + true" }) });
  const place = { kind: "file", path: join(folder, "store.db"), readOnly: false, setting: "" } as const;
  const [store, other] = [openSqliteStore({ place }), openSqliteStore({ place })];
  let writes = 0;
  const raced: Store = {
    ...store,
    write: async (batch, at) => {
      if (writes++ === 0) {
        await other.read();
        const text = resource("c", { expr: "2 + true" });
        await other.write({ ...emptyBatch, putPolicies: [{ path: "resource.c.vdefault", text, isDisabled: false }] }, at);
      }
      return store.write(batch, at);
    },
  };
  const done = await disableInvalid(raced, readStore(raced, undefined), false);
  expect(writes).toBe(2);
  expect(done).toMatchObject({
    kind: "disabled",
    policies: [{ id: "resource.b.vdefault" }, { id: "resource.c.vdefault" }],
    after: { policies: 4, disabled: 2 },
  });
  await Promise.all([store.close(), other.close()]);
});

test("a bundle is compiled already: it is told whether it can be used", async () => {
  await onDisk(good);
  const bundle = join(folder, "bundle.mjs");
  expect(
    await run(["build", join(folder, "policies"), "-o", bundle], {
      out: () => undefined,
      err: () => undefined,
      terminal: false,
      environment: {},
    }),
  ).toBe(0);
  const settings = ["--set", `storage.driver=bundle,storage.bundle.path=${bundle},storage.bundle.allowUnsigned=true`];
  const { code, out } = await compileStore(...settings);
  expect([code, out]).toEqual([0, expect.stringMatching(/can be used: built from 2 policies, sha256 [0-9a-f]{64}\n$/)]);
  writeFileSync(bundle, readFileSync(bundle, "utf8").replace("album", "albun"));
  expect((await compileStore(...settings)).code).toBe(1);
});
