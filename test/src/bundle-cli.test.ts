/** `authz build` and `authz bundle`: one file out of a folder, the same wherever it is built, and who says that it is theirs. */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { temporaryFolder } from "../server/harness.ts";
import { runProgram } from "../server/process.ts";

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function authz(...argv: readonly string[]): Promise<Said> {
  let out = "";
  let err = "";
  const line = { out: (text: string) => void (out += text), err: (text: string) => void (err += text), terminal: false, environment: {} };
  return { code: await run(argv, line), out, err };
}

const policy = (resource: string, ref = ""): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${resource}
  version: default
${ref}  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
`;
const schema = `  schemas:\n    principalSchema:\n      ref: authz:///user.json\n`;
const files: { readonly [path: string]: string } = {
  "a.yaml": policy("a", schema),
  "I.yaml": policy("I"),
  "i.yaml": policy("i"),
  "deep/er/ö.yaml": policy("ö"),
  "_schemas/user.json": "{}",
  "tests/a_test.yaml": "name: x\ntests: []\n",
};

/** A folder with these files, written in this order. */
function folderOf(entries: readonly (readonly [path: string, text: string])[]): string {
  const folder = temporaryFolder({});
  for (const [path, text] of entries) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe("authz build", () => {
  test("says what it has written", async () => {
    const folder = folderOf(Object.entries(files));
    const out = join(temporaryFolder({}), "bundle.mjs");
    const { code, out: said, err } = await authz("build", folder, "-o", out);
    expect([code, err]).toEqual([0, ""]);
    expect(said).toMatch(
      new RegExp(`^${out}: 4 policies of 4 files, 1 schema, ${readFileSync(out).length} bytes, not signed\nsha256 [0-9a-f]{64}\n$`),
    );
    expect(readdirSync(dirname(out))).toEqual(["bundle.mjs"]);
  });

  test.each([{ flags: [] }, { flags: ["--target", "node", "--schemas", "none"] }, { flags: ["--kinds", "a"] }])(
    "writes to standard output what it would write to a file: $flags",
    async ({ flags }) => {
      const folder = folderOf(Object.entries(files));
      const file = join(temporaryFolder({}), "bundle.mjs");
      const named = await authz("build", folder, "-o", file, ...flags);
      const { code, out, err } = await authz("build", folder, "-o", "-", ...flags);
      expect([named.code, code, out]).toEqual([0, 0, readFileSync(file, "utf8")]);
      expect(err).toBe(named.out.replace(file, "standard output"));
    },
  );

  test.skipIf(process.platform === "win32")("a bundle that never ends is refused", async () => {
    const { code, err } = await authz("bundle", "inspect", "/dev/zero");
    expect([code, err]).toEqual([1, "authz: error: the bundle `/dev/zero`: it is larger than a bundle may be (67108864 bytes)\n"]);
  });

  test("a pipe gets every byte, and nothing else", async () => {
    const folder = folderOf(Object.entries(files));
    const file = join(temporaryFolder({}), "bundle.mjs");
    await authz("build", folder, "-o", file);
    const cwd = temporaryFolder({});
    const { code, stdout } = await runProgram(["build", folder, "-o", "-"], { cwd });
    expect([code, stdout, readdirSync(cwd)]).toEqual([0, readFileSync(file, "utf8"), []]);
  });

  test.each([
    [true, [], "`-` is standard output, and that is a terminal: name a file"],
    [false, ["--target", "node", "--source-map"], "--source-map and --types write files beside the module, and standard output has none"],
    [false, ["--target", "node", "--types"], "--source-map and --types write files beside the module, and standard output has none"],
  ])("refuses to write to standard output what nobody could use there: terminal %j, %j", async (terminal, flags, says) => {
    const folder = folderOf(Object.entries(files));
    let err = "";
    const line = { out: () => undefined, err: (text: string) => void (err += text), terminal, environment: {} };
    expect(await run(["build", folder, "-o", "-", ...flags], line)).toBe(1);
    expect(err).toContain(says);
  });

  test.each(["a.yaml", "deep/../a.yaml", "tests/a_test.yaml", "_schemas/user.json"])(
    "refuses to write over what it reads, or its tests: %s",
    async (path) => {
      const folder = folderOf(Object.entries(files));
      for (const command of ["build", "types"]) {
        const out = `${folder}/${path}`;
        const { code, err } = await authz(command, folder, "-o", out);
        expect([code, err]).toEqual([1, expect.stringMatching(/^authz: error: `[^`]+` is a part of what is read from `[^`]+`/)]);
        expect(readFileSync(out, "utf8")).toBe(files[path.replace("deep/../", "")]);
      }
    },
  );

  test("refuses to write what would be read as a policy the next time", async () => {
    const folder = folderOf(Object.entries(files));
    for (const command of ["build", "types"]) {
      const { code, err } = await authz(command, folder, "-o", `${folder}/deep/new.json`);
      expect([code, err]).toEqual([
        1,
        `authz: error: \`${folder}/deep/new.json\` would be read as a policy from \`${folder}\`: write to another file\n`,
      ]);
      expect(readdirSync(join(folder, "deep"))).toEqual(["er"]);
    }
  });

  test("writes to a file beside its policies, again and again", async () => {
    const folder = folderOf(Object.entries(files));
    for (const _ of [1, 2]) expect((await authz("build", folder, "-o", join(folder, "bundle.mjs"))).code).toBe(0);
  });

  test("replaces the file that a link leads to, there already or not, and leaves the link", async () => {
    const folder = folderOf([...Object.entries(files), ["out/old.mjs", "old"]]);
    for (const [link, to] of [
      ["first.mjs", "out/old.mjs"],
      ["second.mjs", "out/new.mjs"],
      ["third.mjs", "second.mjs"],
    ] as const) {
      symlinkSync(to, join(folder, link));
      expect((await authz("build", folder, "-o", join(folder, link))).code).toBe(0);
      expect([readlinkSync(join(folder, link)), readFileSync(join(folder, link), "utf8")]).toEqual([to, expect.stringContaining("export")]);
    }
    expect(readdirSync(join(folder, "out"))).toEqual(["new.mjs", "old.mjs"]);
  });

  test.each([["600"], ["664"]])("replaces a file, and leaves its permissions: %s", async (octal) => {
    const mode = Number.parseInt(octal, 8);
    const folder = folderOf(Object.entries(files));
    const [out, key] = [join(folder, "bundle.mjs"), join(folder, "key")];
    await authz("bundle", "keygen", key);
    writeFileSync(out, "old");
    chmodSync(out, mode);
    for (const argv of [
      ["build", folder, "-o", out],
      ["bundle", "sign", out, "--key", key],
    ]) {
      expect((await authz(...argv)).code).toBe(0);
      expect(statSync(out).mode & 0o777).toBe(mode);
    }
  });

  test("writes to a file whose name is as long as a name may be", async () => {
    const folder = temporaryFolder({});
    for (const name of [`${"x".repeat(251)}.mjs`, `${"ü".repeat(125)}.mjs`]) {
      const out = join(folder, name);
      for (const _ of [1, 2]) expect(await authz("build", folderOf(Object.entries(files)), "-o", out)).toMatchObject({ code: 0, err: "" });
    }
    expect(readdirSync(folder).length).toBe(2);
  });

  test("writes into a pipe, and leaves it one", async () => {
    const folder = folderOf(Object.entries(files));
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const read = readFile(pipe, "utf8");
    expect((await authz("types", folder, "-o", pipe)).code).toBe(0);
    expect([await read, statSync(pipe).isFIFO()]).toEqual([expect.stringContaining("export interface Policies"), true]);
  });

  test("writes the same bytes from another folder, in another order, in another language, in another time", async () => {
    const key = join(temporaryFolder({}), "key");
    await authz("bundle", "keygen", key);
    const outs = [];
    for (const [entries, environment] of [
      [Object.entries(files), {}],
      [Object.entries(files).toReversed(), { LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8", TZ: "Asia/Kathmandu" }],
    ] as const) {
      const out = join(temporaryFolder({}), "bundle.mjs");
      const folder = folderOf(entries);
      const { code, stderr } = await runProgram(["build", ".", "-o", out, "--sign", key], { cwd: folder, environment });
      expect([code, stderr]).toEqual([0, ""]);
      outs.push(readFileSync(out, "utf8"));
    }
    expect(outs[1]).toBe(outs[0]);
  });

  test.each<[sentence: string, entries: { readonly [path: string]: string }, flags: readonly string[], code: number, said: RegExp]>([
    [
      "policies that do not compile",
      { "a.yaml": policy("a").replace("EFFECT_ALLOW", "EFFECT_MAYBE") },
      [],
      3,
      /a\.yaml:7:15: error [^]*authz: error: 1 error: no bundle is written\n$/,
    ],
    ["a schema that is not there", { "a.yaml": policy("a", schema) }, [], 3, /user\.json[^]*no bundle is written/],
    ["what is no policy", { "a.yaml": "a: [" }, [], 3, /no bundle is written/],
    ["no policies at all", {}, [], 1, /there is no policy in `.*`: a server with such a bundle would deny everything/],
    [
      "attributes that no bundle can hold",
      { "a.yaml": `${policy("a")}metadata:\n  sourceAttributes:\n    attributes:\n      __proto__: {a: 1}\n` },
      [],
      1,
      /has a name that no bundle can hold|no bundle is written/,
    ],
  ])("refuses %s, and leaves alone what was there", async (_sentence, entries, flags, code, said) => {
    const out = join(temporaryFolder({ "bundle.mjs": "before" }), "bundle.mjs");
    const found = await authz("build", folderOf(Object.entries(entries)), "-o", out, ...flags);
    expect([found.code, found.out]).toEqual([code, ""]);
    expect(found.err).toMatch(said);
    expect(readFileSync(out, "utf8")).toBe("before");
  });

  test.each<[sentence: string, policies: number, flags: readonly string[], code: number, shown: number, last: RegExp]>([
    ["all of some", 20, [], 0, 20, /\n\n$/],
    ["twenty of many, and where the others are told", 23, [], 0, 20, /\nauthz: 3 of 23 warnings are not shown: authz compile \S+\n$/],
    ["all of many that keep it from building", 23, ["--warnings-as-errors"], 3, 23, /23 warnings \(--warnings-as-errors\)/],
  ])("shows warnings: %s", async (_sentence, policies, flags, code, shown, last) => {
    const unused = "  variables: { local: { unused: R.attr.a } }\n";
    const folder = folderOf(Array.from({ length: policies }, (_, at) => [`${at}.yaml`, policy(`kind${at}`, unused)]));
    const found = await authz("build", folder, "-o", join(temporaryFolder({}), "bundle.mjs"), ...flags);
    expect([found.code, found.err.match(/: warning unused-variable: /g)?.length]).toEqual([code, shown]);
    expect(found.err).toMatch(last);
  });

  test("takes policies whose schemas are elsewhere when it is told to", async () => {
    const out = join(temporaryFolder({}), "bundle.mjs");
    expect((await authz("build", folderOf([["a.yaml", policy("a", schema)]]), "-o", out, "--ignore-schemas")).code).toBe(0);
  });

  test.each<[sentence: string, out: string, said: RegExp]>([
    [
      "a folder that is not there",
      "/nowhere/at/all/bundle.mjs",
      /`\/nowhere\/at\/all\/bundle\.mjs` cannot be written \(ENOENT\): its folder does not exist/,
    ],
    ["what is a folder", temporaryFolder({}), /cannot be written \(EISDIR\)|cannot be written \(ENOTEMPTY\)|cannot be written/],
  ])("cannot write to %s", async (_sentence, out, said) => {
    const { code, err } = await authz("build", folderOf(Object.entries(files)), "-o", out);
    expect([code, err]).toEqual([1, expect.stringMatching(said)]);
  });

  test("needs to be told where to write", async () => {
    expect((await authz("build", ".")).code).toBe(80);
  });
});

describe("authz bundle", () => {
  /** A bundle, and two pairs of keys. */
  async function begin(): Promise<{ readonly bundle: string; readonly key: string; readonly other: string }> {
    const folder = temporaryFolder({});
    const [bundle, key, other] = ["bundle.mjs", "key", "other"].map((name) => join(folder, name)) as [string, string, string]; // three in, three out
    await authz("bundle", "keygen", key);
    await authz("bundle", "keygen", other);
    await authz("build", folderOf(Object.entries(files)), "-o", bundle);
    return { bundle, key, other };
  }
  const keyId = (said: string): string => /[0-9a-f]{32}(?=\n|,|$| )/.exec(said.replaceAll(/[0-9a-f]{64}/g, ""))?.[0] ?? said;

  test("keygen writes a pair, the private one for its owner alone, and never over another", async () => {
    const key = join(temporaryFolder({}), "key");
    const made = await authz("bundle", "keygen", key);
    expect([made.code, statSync(key).mode & 0o777, keyId(made.out)]).toEqual([0, 0o600, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(made.out).not.toContain("PRIVATE");
    const before = readFileSync(key, "utf8");
    const again = await authz("bundle", "keygen", key);
    expect([again.code, again.err]).toEqual([1, `authz: error: \`${key}\` is there already, and no key is overwritten\n`]);
    expect(readFileSync(key, "utf8")).toBe(before);
  });

  test("keygen leaves no half of a pair behind", async () => {
    const folder = temporaryFolder({ "key.pub": "somebody's" });
    expect((await authz("bundle", "keygen", join(folder, "key"))).code).toBe(1);
    expect(readdirSync(folder)).toEqual(["key.pub"]);
  });

  test("sign makes of a bundle what `build --sign` makes, and takes the place of who signed before", async () => {
    const { bundle, key, other } = await begin();
    const signed = await authz("bundle", "sign", bundle, "--key", other);
    expect(signed.out).toMatch(/: signed by [0-9a-f]{32}\nsha256 [0-9a-f]{64}\n$/);
    const again = await authz("bundle", "sign", bundle, "--key", key);
    expect(again.out).toMatch(new RegExp(`: signed by [0-9a-f]{32}, instead of ${keyId(signed.out)}\n`));
    const built = join(temporaryFolder({}), "bundle.mjs");
    await authz("build", folderOf(Object.entries(files)), "-o", built, "--sign", key);
    expect(readFileSync(bundle, "utf8")).toBe(readFileSync(built, "utf8"));
  });

  test("verify says who signed, and refuses what a server would refuse", async () => {
    const { bundle, key, other } = await begin();
    const unsigned = await authz("bundle", "verify", bundle, "--key", `${key}.pub`);
    expect([unsigned.code, unsigned.err]).toEqual([1, expect.stringMatching(/it is not signed, and must be, by the key [0-9a-f]{32}\n$/)]);
    await authz("bundle", "sign", bundle, "--key", key);
    const verified = await authz("bundle", "verify", bundle, "--key", `${key}.pub`);
    expect([verified.code, verified.out]).toEqual([0, expect.stringMatching(/: signed by [0-9a-f]{32}\nsha256 [0-9a-f]{64}\n$/)]);
    const foreign = await authz("bundle", "verify", bundle, "--key", `${other}.pub`);
    expect([foreign.code, foreign.err]).toEqual([
      1,
      expect.stringContaining(`it is signed by another key (${keyId(verified.out)}), and must be by the key`),
    ]);
    const bytes = readFileSync(bundle);
    bytes[300] = (bytes[300] ?? 0) ^ 1;
    writeFileSync(bundle, bytes);
    const damaged = await authz("bundle", "verify", bundle, "--key", `${key}.pub`);
    expect([damaged.code, damaged.err]).toEqual([1, expect.stringContaining("it is damaged: its digest is")]);
  });

  test("inspect lists policies and schemas, for people and for machines", async () => {
    const { bundle, key } = await begin();
    await authz("bundle", "sign", bundle, "--key", key);
    const { out } = await authz("bundle", "inspect", bundle);
    const keys = ["resource.I.vdefault", "resource.a.vdefault", "resource.i.vdefault", "resource.ö.vdefault"];
    expect(out).toContain("\n  resource.ö.vdefault  deep/er/ö.yaml:3:3\n");
    for (const line of [...keys.map((name) => `\n  ${name}  `), "\n4 policies of 4 files\n", "\n1 schema\n  user.json\n"])
      expect(out).toContain(line);
    const { out: json } = await authz("bundle", "inspect", bundle, "--output", "json");
    expect(JSON.parse(json)).toMatchObject({
      signedBy: keyId(out),
      files: 4,
      schemas: ["user.json"],
      policies: [{ type: "resource", name: "I", version: "default", scope: "" }, {}, {}, {}],
    });
  });

  const pem = (type: "rsa" | "ec"): string =>
    (type === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ec", { namedCurve: "P-256" })).privateKey
      .export({ type: "pkcs8", format: "pem" })
      .toString();
  const ed25519 = (): string => generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const encrypted = generateKeyPairSync("ed25519")
    .privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
    .toString();
  test.each<[sentence: string, text: string | undefined, mode: number, said: RegExp]>([
    ["that is not there", undefined, 0o600, /the key file `.*` does not exist\n$/],
    ...[0o644, 0o640, 0o660, 0o602].map((mode): [sentence: string, text: string, mode: number, said: RegExp] => [
      `that others can use (${mode.toString(8)})`,
      ed25519(),
      mode,
      new RegExp(`others may read the private key \`.*\` \\(its permissions are ${mode.toString(8)}\\): use chmod 600\n$`),
    ]),
    ["beside another", ed25519() + ed25519(), 0o600, /must hold one private key \(PEM\), and nothing else\n$/],
    ["of RSA", pem("rsa"), 0o600, /is of the kind rsa: bundles are signed with Ed25519\n$/],
    ["of another curve", pem("ec"), 0o600, /is of the kind ec: bundles are signed with Ed25519\n$/],
    ["with a passphrase", encrypted, 0o600, /is encrypted: give it without a passphrase/],
    [
      "that is public",
      generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }).toString(),
      0o600,
      /holds a public key: signing takes the private one\n$/,
    ],
    ["that is none", "nothing", 0o600, /must hold one private key \(PEM\), and nothing else\n$/],
    [
      "that is broken",
      "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n",
      0o600,
      /cannot be read: it must be Ed25519, as PEM\n$/,
    ],
  ])("signs nothing with a key %s, and shows nothing of it", async (_sentence, text, mode, said) => {
    const { bundle } = await begin();
    const key = join(temporaryFolder({}), "key");
    if (text !== undefined) writeFileSync(key, text);
    if (text !== undefined) chmodSync(key, mode);
    const { code, out, err } = await authz("bundle", "sign", bundle, "--key", key);
    expect([code, out, err]).toEqual([1, "", expect.stringMatching(said)]);
    expect(err).not.toContain("c2VjcmV0");
  });

  test("signs no file that is no bundle", async () => {
    const { key } = await begin();
    const file = join(temporaryFolder({ "page.html": "<html>" }), "page.html");
    const { code, err } = await authz("bundle", "sign", file, "--key", key);
    expect([code, err]).toEqual([1, expect.stringContaining("it is not a bundle of authz")]);
    expect(readFileSync(file, "utf8")).toBe("<html>");
    expect(existsSync(`${file}.new`)).toBe(false);
  });
});
