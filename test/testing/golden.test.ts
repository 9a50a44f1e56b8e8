/** `authz golden`: what is recorded, what is told when it changes, what is accepted. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { withFolder, policies } from "./suites.ts";

const request = {
  requestId: "1",
  principal: { id: "ann", roles: ["user"], attr: { level: 15 } },
  resources: [
    { actions: ["view", "edit"], resource: { kind: "document", id: "d1", attr: { owner: "ann" } } },
    { actions: ["edit"], resource: { kind: "letter", id: "d2", attr: { code: "017", big: "1e21" } } },
  ],
};
const files = {
  "policies/document.yaml": policies["document.yaml"],
  "requests/reading.json": JSON.stringify(request),
  "requests/deep/writing.yaml": JSON.stringify({ ...request, auxData: { jwt: { sub: "x" } } }),
};

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Authz = (...argv: readonly string[]) => Promise<Ran>;

/** Runs commands below a folder: paths that begin with `./` are there. */
const below =
  (folder: string): Authz =>
  async (...argv) => {
    let out = "";
    let err = "";
    const code = await run(
      argv.map((word) => (word.startsWith("./") ? join(folder, word) : word)),
      { out: (text) => void (out += text), err: (text) => void (err += text), terminal: false, environment: {} },
    );
    return { code, out: out.replaceAll(folder, "."), err: err.replaceAll(folder, ".") };
  };

const recorded = (use: (authz: Authz, folder: string) => Promise<void>): Promise<void> =>
  withFolder(files, async (folder) => {
    const authz = below(folder);
    const { code, err } = await authz(
      "golden",
      "record",
      "./policies",
      "./requests",
      "--cases",
      "./golden",
      "--now",
      "2024-06-01T00:00:00Z",
    );
    expect({ err, code }).toEqual({ err: "", code: 0 });
    await use(authz, folder);
  });

test("a case holds the request, the clock and the answers, and nothing else", () =>
  recorded(async (_authz, folder) => {
    expect(readFileSync(join(folder, "golden/reading.yaml"), "utf8")).toMatchInlineSnapshot(`
      "# A golden case: \`authz golden check\` compares, \`authz golden accept\` rewrites the outcome.
      options:
        now: 2024-06-01T00:00:00Z
      request:
        principal:
          id: ann
          roles:
            - user
          attr:
            level: 15
        resources:
          - actions:
              - view
              - edit
            resource:
              kind: document
              id: d1
              attr:
                owner: ann
          - actions:
              - edit
            resource:
              kind: letter
              id: d2
              attr:
                code: "017"
                big: "1e21"
      outcome:
        - resource: document d1
          actions:
            view:
              effect: EFFECT_ALLOW
              policy: resource.document.vdefault
            edit:
              effect: EFFECT_ALLOW
              policy: resource.document.vdefault
          outputs:
            - src: resource.document.vdefault#reader
              action: view
              val:
                by: ann
                tags:
                  - a
                  - b
        - resource: letter d2
          actions:
            edit:
              effect: EFFECT_DENY
              policy: NO_MATCH
      "
    `);
  }));

test("what was recorded holds as long as the policies do not change, and is recorded once", () =>
  recorded(async (authz, folder) => {
    expect(await authz("golden", "check", "./policies", "--cases", "./golden")).toEqual({
      code: 0,
      out: "2 cases, all as recorded\n",
      err: "",
    });
    const before = readFileSync(join(folder, "golden/reading.yaml"), "utf8");
    const again = await authz("golden", "record", "./policies", "./requests/reading.json", "--cases", "./golden");
    expect(again.out).toBe("./golden/reading.yaml: is there already, and left as it is\nno cases recorded\n");
    expect(readFileSync(join(folder, "golden/reading.yaml"), "utf8")).toBe(before);
  }));

test("a change is told with the rules that made it, and only the cases that are named are rewritten", () =>
  recorded(async (authz, folder) => {
    const path = join(folder, "policies/document.yaml");
    writeFileSync(path, readFileSync(path, "utf8").replace("R.attr.owner == P.id", "R.attr.owner != P.id"));
    const told = `  document d1:
    actions.edit.effect: expected "EFFECT_ALLOW", found "EFFECT_DENY"
    because:
      edit: document.yaml:14:7 resource.document.vdefault#owner as user says nothing: condition not met (\`R.attr.owner != P.id\`)
`;
    expect(await authz("golden", "check", "./policies", "--cases", "./golden")).toEqual({
      code: 4,
      out: `reading\n${told}\nwriting\n${told}\n`,
      err: "authz: error: 2 of 2 cases not as recorded; `authz golden accept` takes what is named\n",
    });
    const before = readFileSync(join(folder, "golden/writing.yaml"), "utf8");
    expect(await authz("golden", "accept", "./policies", "reading", "--cases", "./golden")).toEqual({
      code: 0,
      out: "reading: accepted\n",
      err: "",
    });
    expect(readFileSync(join(folder, "golden/writing.yaml"), "utf8")).toBe(before);
    const { code, out } = await authz("golden", "check", "./policies", "--cases", "./golden");
    expect({ code, out }).toEqual({ code: 4, out: `writing\n${told}\n` });
  }));

test.each<[string, readonly string[], (folder: string) => void, string]>([
  [
    "a case that nobody knows",
    ["accept", "./policies", "readin", "--cases", "./golden"],
    () => undefined,
    "there is no case named `readin` in `./golden`",
  ],
  [
    "no cases",
    ["check", "./policies", "--cases", "./golden"],
    (folder) => rmSync(join(folder, "golden"), { recursive: true }),
    "`./golden` cannot be read (ENOENT)",
  ],
  [
    "policies that do not compile",
    ["check", "./policies", "--cases", "./golden"],
    (folder) => writeFileSync(join(folder, "policies/x.yaml"), "x: 1"),
    "the policies do not compile",
  ],
  [
    "a token instead of claims",
    ["record", "./policies", "./token.json", "--cases", "./golden"],
    (folder) => writeFileSync(join(folder, "token.json"), JSON.stringify({ ...request, auxData: { jwt: "eyJ" } })),
    "expected a mapping",
  ],
  [
    "a field that there is not, even if it is not set",
    ["record", "./policies", "./typo.json", "--cases", "./golden"],
    (folder) => writeFileSync(join(folder, "typo.json"), JSON.stringify({ ...request, principle: null })),
    "unknown field `principle`",
  ],
  [
    "a clock that is none",
    ["record", "./policies", "./requests", "--cases", "./other", "--now", "soon"],
    () => undefined,
    "`soon` is not an instant",
  ],
  [
    "a folder that cannot be written",
    ["record", "./policies", "./requests", "--cases", "./policies/document.yaml/x"],
    () => undefined,
    "cannot be written (ENOTDIR)",
  ],
])("%s is refused", (_sentence, argv, change, wanted) =>
  recorded(async (authz, folder) => {
    change(folder);
    const { code, err } = await authz("golden", ...argv);
    expect(code).toBe(1);
    expect(err).toContain(wanted);
  }),
);

test("names and texts that look like numbers come back as they were", () =>
  withFolder(
    {
      ...files,
      "requests/reading.json": JSON.stringify({ ...request, principal: { ...request.principal, attr: { "1_000": 1e21, true: "1_000" } } }),
    },
    async (folder) => {
      const authz = below(folder);
      await authz("golden", "record", "./policies", "./requests", "--cases", "./golden");
      expect((await authz("golden", "check", "./policies", "--cases", "./golden")).out).toBe("2 cases, all as recorded\n");
    },
  ));

test("a request may hold all that a server takes, in either spelling, and what decides is recorded", () =>
  withFolder(
    {
      "policies/letter.yaml": `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: letter
  version: default
  rules:
    - { actions: [read], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: request.auxData.jwt.sub == "x" } } }
`,
      "requests/camel.json": JSON.stringify({
        requestId: "1",
        includeMeta: true,
        requestContext: { annotations: { shop: "a" } },
        principal: { id: "ann", roles: ["user"], policyVersion: "default" },
        resources: [{ actions: ["read"], resource: { kind: "letter", id: "1", policyVersion: "default" } }],
        auxData: { jwt: { sub: "x" } },
      }),
      // As some libraries write what is not set.
      "requests/nulls.json": JSON.stringify({
        requestId: null,
        principal: { id: "ann", roles: ["user"], attr: null, scope: null },
        resources: [{ actions: ["read"], resource: { kind: "letter", id: "1", attr: null } }],
        auxData: null,
      }),
      "requests/snake.json": JSON.stringify({
        request_id: "1",
        include_meta: true,
        request_context: { annotations: { shop: "a" } },
        principal: { id: "ann", roles: ["user"], policy_version: "default" },
        resources: [{ actions: ["read"], resource: { kind: "letter", id: "1", policy_version: "default" } }],
        aux_data: { jwt: { sub: "x" } },
      }),
    },
    async (folder) => {
      const authz = below(folder);
      const record = ["golden", "record", "./policies", "./requests", "--cases", "./golden", "--now", "2024-06-01T00:00:00Z"];
      expect(await authz(...record)).toMatchObject({ code: 0, err: "" });
      const [camel, snake] = ["camel", "snake"].map((name) => readFileSync(join(folder, `golden/${name}.yaml`), "utf8"));
      expect(snake?.replaceAll("policy_version", "policyVersion")).toBe(camel);
      expect(camel).toContain("auxData:\n    jwt:\n      sub: x\n");
      expect((await authz("golden", "check", "./policies", "--cases", "./golden")).out).toBe("3 cases, all as recorded\n");
    },
  ));

test("requests of one name are told, because only one of them could be recorded; one that is given twice is one", () =>
  withFolder({ ...files, "requests/deep/reading.yml": JSON.stringify(request) }, async (folder) => {
    const authz = below(folder);
    const { code, out, err } = await authz("golden", "record", "./policies", "./requests", "--cases", "./golden");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("\n  reading: ./requests/deep/reading.yml, ./requests/reading.json\n");
    const twice = ["./requests/deep", "./requests/../requests/deep/reading.yml"];
    expect((await authz("golden", "record", "./policies", ...twice, "--cases", "./golden")).out).toMatch(/\n2 cases recorded\n$/);
  }));

test("cases and requests may be links to files, and no link is written over", () =>
  withFolder({ ...files, "elsewhere/reading.json": JSON.stringify(request) }, async (folder) => {
    const authz = below(folder);
    symlinkSync("../elsewhere/reading.json", join(folder, "requests/linked.json"));
    mkdirSync(join(folder, "golden"));
    symlinkSync("../elsewhere/case.yaml", join(folder, "golden/reading.yaml"));
    const record = ["golden", "record", "./policies", "./requests", "--cases", "./golden"];
    const { code, out } = await authz(...record);
    expect({ code, out }).toEqual({
      code: 0,
      out: "./golden/writing.yaml: recorded\n./golden/linked.yaml: recorded\n./golden/reading.yaml: is there already, and left as it is\n2 cases recorded\n",
    });
    // Somewhere else a case may lie that this would not look at.
    const check = ["golden", "check", "./policies", "--cases", "./golden"];
    expect((await authz(...check)).err).toBe("authz: error: `./golden/reading.yaml` cannot be read (ENOENT)\n");
    renameSync(join(folder, "golden/linked.yaml"), join(folder, "elsewhere/case.yaml"));
    expect((await authz(...check)).out).toBe("2 cases, all as recorded\n");
  }));

test("a case also holds the scope that decided, the derived roles, and where attributes violate their schemas", () =>
  withFolder(
    {
      "policies/roles.yaml":
        "apiVersion: api.authz.dev/v1\nderivedRoles: { name: roles, definitions: [{ name: reader, parentRoles: [user] }] }\n",
      "policies/_schemas/letter.json": '{ "type": "object", "properties": { "pages": { "type": "integer" } } }',
      "policies/letter.yaml": `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: letter
  version: default
  importDerivedRoles: [roles]
  schemas: { resourceSchema: { ref: "authz:///letter.json" } }
  rules: [{ actions: [read], effect: EFFECT_ALLOW, derivedRoles: [reader] }]
`,
      "policies/acme.yaml": `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: letter
  version: default
  scope: acme
  importDerivedRoles: [roles]
  rules: [{ actions: [read], effect: EFFECT_DENY, derivedRoles: [reader] }]
`,
      "requests/letters.json": JSON.stringify({
        principal: { id: "ann", roles: ["user"] },
        resources: [
          { actions: ["read"], resource: { kind: "letter", id: "1", scope: "acme" } },
          { actions: ["read"], resource: { kind: "letter", id: "2", attr: { pages: "two" } } },
        ],
      }),
    },
    async (folder) => {
      const authz = below(folder);
      await authz("golden", "record", "./policies", "./requests", "--cases", "./golden");
      const path = join(folder, "golden/letters.yaml");
      const text = readFileSync(path, "utf8");
      expect(text.slice(text.indexOf("outcome:"))).toMatchInlineSnapshot(`
        "outcome:
          - resource: letter 1
            actions:
              read:
                effect: EFFECT_DENY
                policy: resource.letter.vdefault/acme
                scope: acme
            derivedRoles:
              - reader
          - resource: letter 2
            actions:
              read:
                effect: EFFECT_DENY
                policy: resource.letter.vdefault
            validationErrors:
              - SOURCE_RESOURCE /pages
        "
      `);
      // A resource whose outcome was taken away is one that is not as recorded.
      writeFileSync(path, text.slice(0, text.indexOf("  - resource: letter 2")));
      const check = await authz("golden", "check", "./policies", "--cases", "./golden");
      expect([check.code, check.out]).toEqual([4, expect.stringMatching(/^letters\n {2}letter 2:\n {4}expected null, found \{/)]);
    },
  ));

test("what readers of YAML do not agree on is warned of, and recorded so that they do", () =>
  withFolder(
    {
      "policies/document.yaml": policies["document.yaml"],
      "requests/odd.yaml":
        "principal: {id: ann, roles: [user], attr: {a: no, b: 1e3, c: 1:30}}\nresources: [{actions: [view], resource: {kind: document, id: d}}]\n",
    },
    async (folder) => {
      const authz = below(folder);
      const { code, err } = await authz("golden", "record", "./policies", "./requests", "--cases", "./golden");
      expect([code, err.match(/^\.\/\S+ warning \S+ \S+/gm)]).toEqual([
        0,
        [
          "./requests/odd.yaml:1:47: warning ambiguous-value: `no`",
          "./requests/odd.yaml:1:54: warning ambiguous-value: `1e3`",
          "./requests/odd.yaml:1:62: warning ambiguous-value: `1:30`",
        ],
      ]);
      expect(readFileSync(join(folder, "golden/odd.yaml"), "utf8")).toContain('a: "no"\n      b: "1e3"\n      c: "1:30"\n');
      expect(await authz("golden", "check", "./policies", "--cases", "./golden")).toEqual({
        code: 0,
        out: "1 case, all as recorded\n",
        err: "",
      });
    },
  ));

test("a case without an outcome is no case that holds", () =>
  recorded(async (authz, folder) => {
    const path = join(folder, "golden/reading.yaml");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.slice(0, text.indexOf("outcome:")));
    const { code, out } = await authz("golden", "check", "./policies", "--cases", "./golden");
    expect({ code, out }).toEqual({ code: 4, out: "reading\n  it has no outcome yet\n\n" });
  }));

test("all files that cannot be read are told at once, and nothing is recorded", () =>
  withFolder({ ...files, "requests/a.json": "{", "requests/b.yaml": "- x" }, async (folder) => {
    const authz = below(folder);
    const { code, err } = await authz("golden", "record", "./policies", "./requests", "--cases", "./golden");
    expect(code).toBe(1);
    for (const file of ["a.json:1", "b.yaml:1"]) expect(err).toContain(`./requests/${file}`);
    expect((await authz("golden", "check", "./policies", "--cases", "./requests")).err).toContain("./requests/b.yaml:1");
  }));

test.each(["2024-02-30T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01"])("the clock of a case cannot be %s", (now) =>
  withFolder(files, async (folder) => {
    const { code, err } = await below(folder)("golden", "record", "./policies", "./requests", "--cases", "./golden", "--now", now);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`\`${now}\` is not an instant`) });
  }),
);

const numbers = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: number
  version: v2
  rules:
    - { actions: [past], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: now() < timestamp("2000-01-01T00:00:00Z") } } }
    - { actions: [below], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: 1.0 / R.attr.n < 0.0 } } }
    - { actions: [even], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: G.limit % 2 == 0 && G.share == 0.5 } } }
`;
const asking = (n: string, action: string): string =>
  `{"principal":{"id":"ann","roles":["user"]},"resources":[{"resource":{"kind":"number","id":"1","attr":{"n":${n}}},"actions":["${action}"]}]}`;
const effectsIn = (folder: string): readonly string[] =>
  [...readFileSync(join(folder, "golden/one.yaml"), "utf8").matchAll(/effect"?: "?EFFECT_(\w+)/g)].map(([, effect = ""]) => effect);

test.each([
  // What is configured is kept in the case, which is decided by it without the configuration.
  ["below", "-0.0", "engine: { defaultPolicyVersion: v2 }", "ALLOW", "-0.0"],
  ["below", "-1.0", "engine: { defaultPolicyVersion: v2 }", "ALLOW", "defaultPolicyVersion: v2"],
  ["below", "-1.0", "engine: {}", "DENY", "now"],
  ["even", "1", "engine: { defaultPolicyVersion: v2, globals: { limit: 4, share: 0.5 } }", "ALLOW", "limit: 4"],
])("%s of %s with %s is recorded as %s, and found to be so", (action, n, config, effect, kept) =>
  withFolder({ "policies/number.yaml": numbers, "one.json": asking(n, action), "config.yaml": config }, async (folder) => {
    const authz = below(folder);
    expect(await authz("golden", "record", "./policies", "./one.json", "--cases", "./golden", "--config", "./config.yaml")).toMatchObject({
      err: "",
      code: 0,
    });
    expect(effectsIn(folder)).toEqual([effect]);
    expect(readFileSync(join(folder, "golden/one.yaml"), "utf8")).toContain(kept);
    expect(await authz("golden", "check", "./policies", "--cases", "./golden")).toMatchObject({
      out: "1 case, all as recorded\n",
      code: 0,
    });
  }),
);

test.each([
  // A server has a double here, a case an int: `R.attr.n + G.limit` has a value only with the one.
  ["limit: 4.0", "`engine.globals.limit` is a decimal without a fraction"],
  ["all: [{ limit: -0.0 }]", "`engine.globals.all[0].limit` is a decimal without a fraction"],
  ["limit: 9007199254740993", "`engine.globals.limit` is larger than the ints that a case can hold"],
])("globals that a case cannot hold are refused: %s", (globals, why) =>
  withFolder(
    { "policies/number.yaml": numbers, "one.json": asking("1", "even"), "config.yaml": `engine: { globals: { ${globals} } }` },
    async (folder) => {
      const recorded = await below(folder)(
        "golden",
        "record",
        "./policies",
        "./one.json",
        "--cases",
        "./golden",
        "--config",
        "./config.yaml",
      );
      expect(recorded).toMatchObject({ code: 1, err: expect.stringContaining(why) });
      expect(existsSync(join(folder, "golden"))).toBe(false);
    },
  ),
);

test("a case without a clock is not decided where a condition reads it", () =>
  withFolder({ "policies/number.yaml": numbers.replace("v2", "default"), "one.json": asking("1", "past") }, async (folder) => {
    const authz = below(folder);
    await authz("golden", "record", "./policies", "./one.json", "--cases", "./golden");
    const path = join(folder, "golden/one.yaml");
    const timeless = readFileSync(path, "utf8").replace(/options:\n {2}now: .*\n/, "");
    writeFileSync(path, timeless);
    const why = "a condition reads the clock (now, timeSince), and the case's options do not set `now`";
    expect(await authz("golden", "check", "./policies", "--cases", "./golden")).toMatchObject({ code: 4, out: `one\n  ${why}\n\n` });
    expect(await authz("golden", "accept", "./policies", "one", "--cases", "./golden")).toMatchObject({
      code: 1,
      err: `authz: error: one: ${why}\n`,
    });
    expect(readFileSync(path, "utf8")).toBe(timeless);
  }));
