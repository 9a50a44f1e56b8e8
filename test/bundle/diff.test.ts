/** `authz bundle diff`: what a reviewer reads of two bundles, and what a script does. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { temporaryFolder } from "../server/harness.ts";

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function authz(...argv: readonly string[]): Promise<Said> {
  let [out, err] = ["", ""];
  const code = await run([...argv], {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    terminal: false,
    environment: {},
  });
  return { code, out, err };
}

const policy = (rules: string, head = ""): string =>
  `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: album\n  version: default\n${head}  rules:\n${rules}`;
const rule = (name: string, effect: string, roles: string, condition = ""): string =>
  `    - { name: "${name}", actions: [view], effect: EFFECT_${effect}, roles: [${roles}]${condition === "" ? "" : `, condition: { match: { expr: ${JSON.stringify(condition)} } }`} }\n`;
const roles = (condition: string): string =>
  `apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: people\n  definitions:\n    - { name: owner, parentRoles: [user], condition: { match: { expr: ${JSON.stringify(condition)} } } }\n`;

interface Files {
  readonly [path: string]: string;
}

async function built(files: Files, ...flags: readonly string[]): Promise<string> {
  const folder = temporaryFolder(Object.fromEntries(Object.entries(files).map(([path, text]) => [`p/${path}`, text])));
  const out = join(folder, "bundle.mjs");
  const { code, err } = await authz("build", join(folder, "p"), "-o", out, "--ignore-schemas", ...flags);
  expect([code, err]).toEqual([0, ""]);
  return out;
}

const plain = rule("a", "ALLOW", "user");

describe("differs", () => {
  test.each<[sentence: string, old: Files, is: Files, says: readonly string[]]>([
    [
      "a condition",
      { "a.yaml": policy(rule("a", "ALLOW", "user", "R.attr.size < 3")) },
      { "a.yaml": policy(rule("a", "ALLOW", "user", "R.attr.size < 4")) },
      [
        "1 policy: 1 changed",
        "~ resource.album.vdefault  a.yaml:3:3",
        "  ~ rule a  a.yaml:6:7",
        "      - when: R.attr.size < 3",
        "      + when: R.attr.size < 4",
      ],
    ],
    [
      "an effect, and who it is about",
      { "a.yaml": policy(rule("a", "ALLOW", "user")) },
      { "a.yaml": policy(rule("a", "DENY", '"*"')) },
      ["      - effect: allow", "      + effect: deny", "      - roles: user", "      + roles: *"],
    ],
    [
      "a condition that is there no more",
      { "a.yaml": policy(rule("a", "ALLOW", "user", "R.attr.open")) },
      { "a.yaml": policy(plain) },
      ["  ~ rule a", "      - when: R.attr.open"],
    ],
    [
      "a rule more, and one that moved for it",
      { "a.yaml": policy(plain) },
      { "a.yaml": policy(rule("b", "DENY", "guest") + plain) },
      ["  + rule b  a.yaml:6:7", "      + effect: deny"],
    ],
    [
      "a rule less",
      { "a.yaml": policy(rule("b", "DENY", "guest") + plain) },
      { "a.yaml": policy(plain) },
      ["  - rule b  a.yaml:6:7", "      - effect: deny"],
    ],
    [
      "the order of rules",
      { "a.yaml": policy(plain + rule("b", "DENY", "guest")) },
      { "a.yaml": policy(rule("b", "DENY", "guest") + plain) },
      ["      - order: a, b", "      + order: b, a"],
    ],
    [
      "a derived role in another file, which moved",
      {
        "a.yaml": policy(
          `    - { name: a, actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner] }\n`,
          "  importDerivedRoles: [people]\n",
        ),
        "r.yaml": roles("R.attr.owner == P.id"),
      },
      {
        "a.yaml": policy(
          `    - { name: a, actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner] }\n`,
          "  importDerivedRoles: [people]\n",
        ),
        "s.yaml": roles("P.id == R.attr.owner"),
      },
      ["  ~ derived role owner  r.yaml:5:7 -> s.yaml:5:7", "      - when: R.attr.owner == P.id", "      + when: P.id == R.attr.owner"],
    ],
    [
      "a variable and a constant",
      {
        "a.yaml": policy(
          rule("a", "ALLOW", "user", "V.big"),
          "  variables: { local: { big: R.attr.size > C.most } }\n  constants: { local: { most: 3 } }\n",
        ),
      },
      {
        "a.yaml": policy(
          rule("a", "ALLOW", "user", "V.big"),
          "  variables: { local: { big: R.attr.size >= C.most } }\n  constants: { local: { most: 4 } }\n",
        ),
      },
      [
        "  ~ constant most  a.yaml:6:25",
        "      - 3.0",
        "      + 4.0",
        "  ~ variable big  a.yaml:5:25",
        "      - R.attr.size > C.most",
        "      + R.attr.size >= C.most",
      ],
    ],
    [
      "a reference to a schema, and the schema",
      {
        "a.yaml": policy(plain, '  schemas: { resourceSchema: { ref: "authz:///a.json" } }\n'),
        "_schemas/a.json": '{"properties":{"a/b":{"type":"string"}}}',
      },
      {
        "a.yaml": policy(plain, '  schemas: { resourceSchema: { ref: "authz:///a.json", ignoreWhen: { actions: [view] } } }\n'),
        "_schemas/a.json": '{"properties":{"a/b":{"type":"number"}}}',
      },
      [
        "      - schema of the resource: authz:///a.json",
        "      + schema of the resource: authz:///a.json unless every action is view",
        "1 schema: 1 changed",
        "~ schema a.json",
        '      - /properties/a~1b/type: "string"',
        '      + /properties/a~1b/type: "number"',
      ],
    ],
    [
      "whole policies and schemas",
      { "a.yaml": policy(plain), "b.yaml": policy(plain).replace("album", "book"), "_schemas/a.json": "{}" },
      { "a.yaml": policy(plain), "c.yaml": policy(plain).replace("album", "car"), "_schemas/c.json": "{}" },
      [
        "3 policies: 1 added, 1 removed, 1 the same; 2 schemas: 1 added, 1 removed",
        "- resource.book.vdefault  b.yaml:3:3",
        "+ resource.car.vdefault  c.yaml:3:3",
        "- schema a.json",
        "+ schema c.json",
      ],
    ],
  ])("%s", async (_sentence, old, is, says) => {
    const { code, out, err } = await authz("bundle", "diff", await built(old), await built(is));
    expect([code, err]).toEqual([4, ""]);
    for (const line of says) expect(out).toContain(line);
    expect(out).not.toContain("none of its words do");
  });

  test("a rule without a name that is pushed on is not one that changed", async () => {
    const nameless = (role: string): string => `    - { actions: [view], effect: EFFECT_ALLOW, roles: [${role}] }\n`;
    const [old, is] = [
      await built({ "a.yaml": policy(nameless("a") + nameless("b")) }),
      await built({ "a.yaml": policy(nameless("new") + nameless("a") + nameless("b")) }),
    ];
    const { out } = await authz("bundle", "diff", old, is);
    expect(out.match(/^ {2}[-+~] rule/gm)).toEqual(["  + rule"]);
    expect(out).toContain("roles: new");
  });

  test("what decides, though no word of it does: somebody wrote another legend", async () => {
    const [old, is] = [await built({ "a.yaml": policy(plain) }), await built({ "a.yaml": policy(rule("a", "ALLOW", "guest")) })];
    const { readBundle, writeBundle } = await import("../../src/bundle/index.ts");
    const [before, now] = [old, is].map((file) => readBundle(readFileSync(file), { kind: "anybody" }).content);
    if (before?.legend === undefined || now === undefined) throw new Error("both are bundles");
    const unit = now.bundle.units[0];
    if (unit === undefined) throw new Error("there is a unit");
    // The legend of the old one says whatever the old one said; the effect of the new one is another.
    const denying = await built({ "a.yaml": policy(rule("a", "DENY", "user")) });
    const other = readBundle(readFileSync(denying), { kind: "anybody" }).content;
    writeFileSync(is, writeBundle({ ...other, legend: before.legend }));
    const { code, out } = await authz("bundle", "diff", old, is);
    expect(code).toBe(4);
    expect(out).toContain("what it decides differs, and none of its words do");
  });
});

test.each<[sentence: string, text: (end: string) => string]>([
  ["nested deeper than anybody reads", (end) => `${'{"x":'.repeat(50_000)}${end}${"}".repeat(50_000)}`],
  ["one of which a name occurs twice", (end) => `{"x": ${end}, "x": 3}`],
  ["no JSON", (end) => `{"x": ${end}`],
])("a schema that is %s is another as a whole", async (_sentence, text) => {
  const file = await built({ "a.yaml": policy(plain) });
  const { readBundle, writeBundle } = await import("../../src/bundle/index.ts");
  const { content } = readBundle(readFileSync(file), { kind: "anybody" });
  const [old, is] = ["1", "2"].map((end) => {
    const other = `${file}.${end}`;
    writeFileSync(other, writeBundle({ ...content, schemas: new Map([["s.json", text(end)]]) }));
    return other;
  });
  const { code, out, err } = await authz("bundle", "diff", old ?? "", is ?? "");
  expect([code, err]).toEqual([4, ""]);
  expect(out).toContain("~ schema s.json\n      text");
});

describe("is the same", () => {
  const files = { "a.yaml": policy(plain) };
  test.each<[sentence: string, is: Files, says: string]>([
    ["byte by byte", files, "the same bundle, of 1 file"],
    [
      "where rules stand elsewhere",
      { "a.yaml": policy(`\n    # moved\n${plain}`) },
      "both decide the same: only names of rules, places and numbers of files differ",
    ],
  ])("%s: exit code 0", async (_sentence, is, says) => {
    const { code, out } = await authz("bundle", "diff", await built(files), await built(is));
    expect(code).toBe(0);
    expect(out).toContain(says);
  });
});

describe("whose they are", () => {
  test("is said, and checked where keys are given; what is damaged is not compared", async () => {
    const folder = temporaryFolder({});
    const key = join(folder, "key");
    await authz("bundle", "keygen", key);
    const unsigned = await built({ "a.yaml": policy(plain) });
    const signed = await built({ "a.yaml": policy(plain) }, "--sign", key);
    const said = await authz("bundle", "diff", unsigned, signed);
    expect(said.out).toMatch(
      /^--- .*\n {4}sha256 [0-9a-f]{64}, not signed\n\+\+\+ .*\n {4}sha256 [0-9a-f]{64}, signed by [0-9a-f]{32} \(not checked: see --key\)\n/,
    );
    expect(said.code).toBe(0);
    expect((await authz("bundle", "diff", signed, signed, "--key", `${key}.pub`)).out).not.toContain("not checked");
    expect(await authz("bundle", "diff", unsigned, signed, "--key", `${key}.pub`)).toMatchObject({
      code: 1,
      err: expect.stringContaining("it is not signed, and must be"),
    });
    writeFileSync(signed, readFileSync(signed, "utf8").replace('"user"', '"usar"'));
    expect(await authz("bundle", "diff", unsigned, signed)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("it is damaged"),
    });
    expect(await authz("bundle", "diff", unsigned, "nowhere.mjs")).toMatchObject({
      code: 1,
      err: expect.stringContaining("`nowhere.mjs`: it does not exist"),
    });
  });

  test("as JSON", async () => {
    const [old, is] = [await built({ "a.yaml": policy(plain) }), await built({ "a.yaml": policy(rule("a", "DENY", "user")) })];
    const { code, out } = await authz("bundle", "diff", old, is, "--output=json");
    expect(code).toBe(4);
    expect(JSON.parse(out)).toMatchObject({
      same: false,
      old: { file: old, signedBy: null },
      new: { file: is, signedBy: null },
      policies: {
        added: [],
        removed: [],
        same: 0,
        changed: [
          {
            key: "resource.album.vdefault",
            old: "a.yaml:3:3",
            changes: [{ part: "rule", name: "a", kind: "changed", says: [{ what: "effect", old: "allow", new: "deny" }] }],
          },
        ],
      },
      schemas: { added: [], removed: [], changed: [], same: 0 },
    });
  });
});

test("words of others do not move anybody's cursor", async () => {
  const nasty = policy(rule("a", "ALLOW", "user", "R.attr.x == '\u202e'"));
  const { out } = await authz("bundle", "diff", await built({ "a.yaml": policy(plain) }), await built({ "a.yaml": nasty }));
  expect(out).toContain("+ when: R.attr.x == '\\u202e'");
});
