/** `authz types`: a folder in, a declaration file out. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { temporaryFolder } from "../server/harness.ts";
import { errorsOf } from "./compiler.ts";

const policy = (resource: string, more: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${resource}
  version: default
  ${more}
  rules: [{ actions: [view, edit], effect: EFFECT_ALLOW, roles: [user] }]
`;
const folder = temporaryFolder({
  "one/a.yaml": policy("album", 'schemas: { resourceSchema: { ref: "authz:///deep/album.json" } }'),
  "one/b.yaml": policy("photo", 'schemas: { principalSchema: { ref: "cerbos:///user.json", ignoreWhen: { actions: [view] } } }'),
  "one/_schemas/deep/album.json": '{"type": "object", "required": ["owner"], "properties": {"owner": {"type": "string"}}}',
  "one/_schemas/user.json": '{"type": "object", "required": ["team"], "properties": {"team": {"type": "string"}}}',
  "broken/a.yaml": policy("album", 'schemas: { resourceSchema: { ref: "authz:///none.json" } }'),
  "empty/readme.txt": "",
});
afterAll(() => rmSync(folder, { recursive: true }));

async function types(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ["", ""];
  const line = { out: (text: string) => void (out += text), err: (text: string) => void (err += text), terminal: false, environment: {} };
  const code = await run(["types", ...argv], line);
  return { code, out, err };
}

test("writes the file, and says what is in it", async () => {
  const file = join(folder, "policies.d.ts");
  const written = await types(join(folder, "one"), "-o", file);
  expect(written).toEqual({ code: 0, out: `${file}: 2 kinds, 1 role\n`, err: "" });
  const text = readFileSync(file, "utf8");
  expect(text).toContain("readonly attr: Attributes.Album;");
  expect(text).toContain("readonly principalAttr: Partial<Attributes.User>;");
  expect(text).not.toMatch(/\bany\b(?! )/);
  expect(errorsOf(text)).toEqual([]);
  // To standard output it is the same.
  for (const unnamed of [[], ["-o", "-"]]) expect(await types(join(folder, "one"), ...unnamed)).toEqual({ code: 0, out: text, err: "" });
});

test("gives the same bytes for the same policies under other file names", async () => {
  const other = join(folder, "two");
  mkdirSync(join(other, "x"), { recursive: true });
  writeFileSync(join(other, "z.yaml"), readFileSync(join(folder, "one/a.yaml")));
  writeFileSync(join(other, "x/a.yaml"), readFileSync(join(folder, "one/b.yaml")));
  mkdirSync(join(other, "_schemas/deep"), { recursive: true });
  writeFileSync(join(other, "_schemas/user.json"), readFileSync(join(folder, "one/_schemas/user.json")));
  writeFileSync(join(other, "_schemas/deep/album.json"), readFileSync(join(folder, "one/_schemas/deep/album.json")));
  expect((await types(other)).out).toBe((await types(join(folder, "one"))).out);
});

test("writes nothing when a policy or a schema has a mistake", async () => {
  const { code, out, err } = await types(join(folder, "broken"));
  expect([code, out]).toEqual([3, ""]);
  expect(err).toContain("authz: error: 1 error: no types are written");
});

test("of a folder without policies, types that nothing fits", async () => {
  const { code, out } = await types(join(folder, "empty"));
  expect(code).toBe(0);
  const program =
    'import type { CheckRequest, Kind } from "./policies.js";\nconst kind: Kind = "album";\nexport { kind }; export type R = CheckRequest;';
  expect(errorsOf(out, program)).toEqual(["2: Type '\"album\"' is not assignable to type 'never'."]);
});

test("a file that cannot be written is a sentence", async () => {
  const file = join(folder, "nowhere/policies.d.ts");
  expect(await types(join(folder, "one"), "-o", file)).toEqual({
    code: 1,
    out: "",
    err: `authz: error: \`${file}\` cannot be written (ENOENT): its folder does not exist\n`,
  });
});
