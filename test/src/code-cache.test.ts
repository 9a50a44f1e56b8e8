/** What the engine has compiled is taken from beside a text, and from nowhere else. */
import { join } from "node:path";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { openRealm } from "../../runtime/sandbox/realm.ts";
import { writeCodeCache, readCodeCache } from "../../src/code-cache.ts";
import { bundleOf } from "../bundle/try-out.ts";
import { asking, texts } from "../runtime/sandbox/open.ts";
import { temporaryFolder } from "../server/harness.ts";

const file = (): string => join(temporaryFolder({}), "text.code");
const text = "(() => 1 + 1)()";
const code = new Script(text).createCachedData();

test("of the same text it is what was kept", () => {
  const kept = file();
  writeCodeCache(kept, text, code);
  expect(Buffer.from(readCodeCache(kept, text) ?? []).equals(code)).toBe(true);
});

test.each([
  ["another text of the same length", (kept: string) => writeCodeCache(kept, text.replace("1", "2"), code)],
  [
    "code of which one bit has changed",
    (kept: string) => {
      writeCodeCache(kept, text, code);
      const bytes = readFileSync(kept);
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      writeFileSync(kept, bytes);
    },
  ],
  ["no file", () => undefined],
  ["a folder in its place", (kept: string) => mkdirSync(kept)],
  ["an empty file", (kept: string) => writeFileSync(kept, "")],
  ["half a digest", (kept: string) => writeFileSync(kept, code.subarray(0, 16))],
])("there is none of %s", (_what, write) => {
  const kept = file();
  write(kept);
  expect(readCodeCache(kept, text)).toBe(undefined);
});

const allowing = bundleOf(`apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: memo
  version: default
  rules: [{ actions: [view], effect: EFFECT_ALLOW, roles: [user] }]
`);

test.each([
  ["its own code", () => openRealm(texts).code()],
  ["none", () => undefined],
  ["code that the engine refuses", () => ({ guest: code, lockdown: new Uint8Array(100) })],
])("a realm with %s decides the same", (_what, given) => {
  const made = given();
  const realm = openRealm({ ...texts, ...(made !== undefined && { code: made }) });
  realm.load(JSON.stringify(allowing));
  expect(realm.checkResources(asking(), "CALL", 0)).toMatch(/^0.*EFFECT_ALLOW/);
});
