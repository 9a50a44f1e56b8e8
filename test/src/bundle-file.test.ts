/** Bundle files: the same bytes from the same policies, and nothing that is not exactly what somebody trusted has written. */
import { createPrivateKey, sign, type KeyObject } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import { frameOf, jsonOf, openFrame, statementOf } from "../../src/bundle/frame.ts";
import { readBundle } from "../../src/bundle/index.ts";
import { keyIdOf, readPublicKeys } from "../../src/bundle/keys.ts";
import { signStatement } from "../../src/bundle/sign.ts";
import type { Trust } from "../../src/bundle/verify.ts";
import { digest } from "../../src/texts/digest.ts";
import { isRefusal } from "../../src/refusal.ts";
import { buildBundle, makeKeys } from "../bundle/server.ts";
import { decideFolders } from "../golden/cases.ts";
import { temporaryFolder } from "../server/harness.ts";

const keys = makeKeys();
const others = makeKeys();
const privateKey: KeyObject = createPrivateKey(keys.privateKey);
const trust: Trust = { kind: "keys", keys: readPublicKeys([keys.publicKeyFile]) };
const anybody: Trust = { kind: "anybody" };

const policy = (
  resource: string,
  scope = "",
  condition = "R.attr.owner == P.id && R.attr.size < 3u",
): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${resource}
  version: default
${scope === "" ? "" : `  scope: ${scope}\n`}  rules:
    - actions: [view, "edit:*"]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: ${condition}
`;
const files = {
  "doc.yaml": policy("doc"),
  "nested/doc_acme.yaml": policy("doc", "acme"),
  "ümlaut.yaml": policy("ümlaut"),
  "I.yaml": policy("I"),
  "_schemas/doc.json": `{"type": "object"}`,
};
const unsigned = buildBundle(files);
const signed = buildBundle(files, keys);

/** What is said when a file is refused. */
function refusalOf(bytes: Uint8Array, whom: Trust = trust): string {
  try {
    readBundle(bytes, whom);
  } catch (error) {
    if (isRefusal(error)) return error.message;
    throw error;
  }
  return "not refused";
}

/** A program that the gate admits, and no policy needs. */
const emptyProgram = "(rt, k) => {\nreturn { scopes: [] };\n}\n";

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

describe("the same policies give the same bytes", () => {
  test("whatever order the files come in", () => {
    const reversed = Object.fromEntries(Object.entries(files).toReversed());
    expect(textOf(buildBundle(reversed))).toBe(textOf(unsigned));
  });

  test("and so does the same key", () => {
    expect(textOf(buildBundle(files, keys))).toBe(textOf(signed));
    expect(textOf(signStatement(openFrame(unsigned).statement, privateKey))).toBe(textOf(signed));
  });

  test("what is read is what was written, for every folder of the goldens", () => {
    const folders = decideFolders();
    expect(folders.length).toBeGreaterThan(50);
    for (const { sources, schemas, name } of folders) {
      const texts = sources.map(({ path, text }) => [path, text] as const);
      const bytes = buildBundle(Object.fromEntries([...texts, ...[...schemas].map(([path, text]) => [`_schemas/${path}`, text] as const)]));
      const attributed = sources.map((source) => ({ ...source, attributes: { driver: "disk", source: source.path } }));
      const { content } = readBundle(bytes, anybody);
      expect(content.bundle, name).toEqual(compile(attributed, { digest }).compiled?.bundle);
      expect([...content.schemas], name).toEqual([...schemas].toSorted(([left], [right]) => (left < right ? -1 : 1)));
      expect(content.policies).toBe(sources.length);
    }
  });

  test("the same bytes are a module that exports the bundle", async () => {
    const folder = mkdtempSync(join(tmpdir(), "authz-test-"));
    writeFileSync(join(folder, "bundle.mjs"), signed);
    const module: { readonly default: unknown } = await import(/* @vite-ignore */ join(folder, "bundle.mjs"));
    expect(module.default).toEqual(JSON.parse(jsonOf(openFrame(signed).statement)));
    const { content } = readBundle(signed, trust);
    expect(load(content.bundle, evaluateInThisRealm).units.size).toBe(3);
  });
});

describe("is refused, because of", () => {
  const at = textOf(signed).lastIndexOf("// authz bundle");
  const cut = (length: number): Uint8Array => signed.subarray(0, length);
  const edited = (edit: (text: string) => string): Uint8Array => Buffer.from(edit(textOf(signed)));
  test.each<[sentence: string, bytes: Uint8Array, because: RegExp, trust?: Trust]>([
    ["no signature", unsigned, new RegExp(`^it is not signed, and must be, by the key ${keys.keyId}$`)],
    [
      "another's signature",
      buildBundle(files, others),
      new RegExp(`^it is signed by another key \\(${others.keyId}\\), and must be by the key ${keys.keyId}$`),
    ],
    [
      "a signature that names a key that did not make it",
      frameOf(openFrame(signed).statement, { keyId: keys.keyId, value: openFrame(buildBundle(files, others)).signature?.value ?? "" }),
      /^its signature does not fit/,
    ],
    [
      "a signature of the same bytes for another purpose",
      frameOf(openFrame(signed).statement, {
        keyId: keys.keyId,
        value: sign(undefined, openFrame(signed).statement, privateKey).toString("hex"),
      }),
      /^its signature does not fit/,
    ],
    [
      "a signature of another bundle",
      edited(
        (text) =>
          text.slice(0, text.lastIndexOf("// authz signature")) +
          textOf(buildBundle({ "a.yaml": policy("a") }, keys)).replace(/^[^]*\n(?=\/\/ authz signature)/, ""),
      ),
      /^its signature does not fit/,
    ],
    ["the signature's letters", edited((text) => text.replace(/[0-9a-f]+\n$/, (hex) => hex.toUpperCase())), /cut off or damaged/],
    [
      "a flipped bit",
      edited((text) => text.replace('"user"', '"usar"')),
      /^it is damaged: its digest is [0-9a-f]{64}, and it says [0-9a-f]{64}$/,
    ],
    ["the same, where nobody looks who signed it", edited((text) => text.replace('"user"', '"usar"')), /^it is damaged/, anybody],
    ["a line after the end", Buffer.concat([signed, Buffer.from("\n")]), /^it is cut off or damaged/],
    [
      "a line before the beginning",
      Buffer.concat([Buffer.from("\n"), signed]),
      /^it is not a bundle of authz: it does not begin with `export default`$/,
    ],
    ["a mark of byte order", Buffer.concat([Buffer.from("\u{FEFF}"), signed]), /^it is not a bundle/],
    ["its end", cut(at + 20), /^it is cut off or damaged: the digest that ends a bundle is not there$/],
    ["its second half", cut(at / 2), /^it is cut off or damaged/],
    ["its last byte", cut(signed.length - 1), /^it is cut off or damaged/],
    ["all of it", cut(0), /^it is empty$/],
    ["a page", Buffer.from("<!doctype html><html>"), /it is a page or an XML document$/],
    ["a key", Buffer.from(keys.publicKey), /it is a key or a certificate$/],
    ["its size", Buffer.alloc(64 * 1024 * 1024 + 1), /^it is larger than a bundle may be \(67108864 bytes\)$/],
  ])("%s", (_sentence, bytes, because, whom = trust) => {
    expect(refusalOf(bytes, whom)).toMatch(because);
  });

  test("any flipped bit, wherever it is", () => {
    fc.assert(
      fc.property(fc.nat(signed.length - 1), fc.nat(7), (position, bit) => {
        const flipped = Buffer.from(signed);
        flipped[position] = (flipped[position] ?? 0) ^ (1 << bit);
        expect(refusalOf(flipped)).not.toBe("not refused");
      }),
      { numRuns: 3000 },
    );
    // What ends it is short, so all of it is tried.
    for (let position = at; position < signed.length; position++)
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(signed);
        flipped[position] = (flipped[position] ?? 0) ^ (1 << bit);
        expect(refusalOf(flipped), `byte ${position}, bit ${bit}`).not.toBe("not refused");
      }
  });

  test("any end that is missing, and any byte that is one too many", () => {
    fc.assert(
      fc.property(fc.nat(signed.length - 1), (length) => refusalOf(cut(length)) !== "not refused"),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.nat(signed.length), fc.nat(255), (position, byte) => {
        const longer = Buffer.concat([signed.subarray(0, position), Buffer.of(byte), signed.subarray(position)]);
        expect(refusalOf(longer)).not.toBe("not refused");
      }),
      { numRuns: 500 },
    );
  });
});

describe("what somebody trusted has signed is refused all the same when it holds", () => {
  const json = jsonOf(openFrame(signed).statement);
  const withJson = (text: string): Uint8Array => signStatement(statementOf(text), privateKey);
  /** Changes the parsed content and writes it again, without making a digest anew. */
  const changed = (edit: (content: Loose) => void): Uint8Array => {
    const content: Loose = JSON.parse(json);
    edit(content);
    return withJson(JSON.stringify(content));
  };
  const first = (content: Loose): Loose["units"][0] => content.units[0];
  const asking = (unit: Loose["units"][0] | undefined, edit: (questions: readonly unknown[][]) => readonly unknown[]): void => {
    if (unit === undefined) throw new Error("no such unit");
    const trees = JSON.parse(unit.trees);
    unit.trees = JSON.stringify({ ...trees, q: edit(trees.q) });
  };

  test.each<[sentence: string, bytes: Uint8Array, because: RegExp]>([
    ["no JSON", withJson("{nothing}"), /^what it exports is not JSON$/],
    ["a program", withJson("(() => globalThis)()"), /^what it exports is not JSON$/],
    [
      "what is no text",
      signStatement(Buffer.concat([Buffer.from("export default "), Buffer.of(0xff), Buffer.from(";\n")]), privateKey),
      /^it is not UTF-8 text$/,
    ],
    ["a list", withJson("[]"), /^it was built by compiler none/],
    [
      "what an older compiler has built",
      changed((content) => (content.manifest.compilerVersion = "1")),
      /^it was built by compiler 1, and this server runs what compiler \d+ builds: build it again with `authz build` of authz \d+\.\d+\.\d+$/,
    ],
    [
      "what a newer format has",
      changed((content) => (content.manifest.format = 3)),
      /^it is of format 3, and format 2 is read here: build it with authz \d/,
    ],
    [
      "what an older format has",
      changed((content) => (content.manifest.format = 1)),
      /^it is of format 1, and format 2 is read here: build it again with `authz build`/,
    ],
    ["a name twice", withJson(json.replace('"files":4', '"files":3,"files":4')), /names in another order, or twice/],
    [
      "a unit that says its constants before its id",
      changed((content) => {
        const { id, ...others } = first(content);
        content.units[0] = { ...others, id };
      }),
      /`units\[0\]` must have `\w+` where `authz build` writes it/,
    ],
    [
      "a policy that says its key last",
      changed((content) => {
        const [{ key, ...others }] = first(content).scopes;
        first(content).scopes[0] = { ...others, key };
      }),
      /`units\[0\]\.scopes\[0\]` must have `\w+` where `authz build` writes it/,
    ],
    ["a space where a line ends", withJson(json.replace("\n", " ")), /not written as `authz build` writes/],
    ["spaces", withJson(json.replace('"files":4', '"files": 4')), /not written as `authz build` writes/],
    [
      "a name that nobody knows",
      changed((content) => Object.assign(content, { more: 1 })),
      /the whole has `more`, which is not known here/,
    ],
    [
      "a name that would clear the screen",
      changed((content) => Object.assign(content, { "\u001b[2J": 1 })),
      /the whole has `\?\[2J`, which is not known here$/,
    ],
    [
      "a name that nobody knows, further in",
      changed((content) => Object.assign(first(content).scopes[0], { more: 1 })),
      /`units\[0\]\.scopes\[0\]` has `more`/,
    ],
    [
      "a prototype",
      withJson(json.replace('"sourceAttributes":{', '"sourceAttributes":{"__proto__":{"a":1},')),
      /`units\[0\]\.scopes\[0\]\.sourceAttributes\.__proto__` has a name that no bundle can hold/,
    ],
    ["a prototype of everything", withJson(`{"__proto__":{},${json.slice(1)}`), /has `__proto__`, which is not known here/],
    [
      "a unit without its scopes",
      changed((content) => Reflect.deleteProperty(first(content), "scopes")),
      /`units\[0\]` must have `scopes`/,
    ],
    ["a number for a name", changed((content) => Object.assign(first(content), { name: 1 })), /`units\[0\]\.name` must be a string/],
    [
      "a type that there is not",
      changed((content) => (first(content).type = "rolle")),
      /`units\[0\]\.type` must be resource or principal or role/,
    ],
    [
      "a pattern that is not there",
      changed((content) => (first(content).scopes[0].rows[0].patterns[0] = 9)),
      /`units\[0\]\.scopes\[0\]\.rows\[0\]\.patterns\[0\]` must be a whole number from 0, below 1$/,
    ],
    [
      "a constant that is none",
      changed((content) => (first(content).constants[0] = { word: "x" })),
      /`units\[0\]\.constants\[0\]` must be a constant/,
    ],
    [
      "a number of a thousand digits",
      changed((content) => (first(content).constants[0] = { int: "9".repeat(1000) })),
      /`units\[0\]\.constants\[0\]\.int` must be a number of 64 bits/,
    ],
    [
      "a constant that is deeper than anybody writes",
      withJson(json.replace('"constants":[', `"constants":[${"[".repeat(5000)}${"]".repeat(5000)},`)),
      /is nested too deep/,
    ],
    [
      "an attribute that is deeper",
      withJson(json.replace('"sourceAttributes":{', `"sourceAttributes":{"a":${"[".repeat(5000)}${"]".repeat(5000)},`)),
      /is nested too deep/,
    ],
    [
      "a program that is not what its digest says",
      changed((content) =>
        Object.assign(content.shapes, Object.fromEntries(Object.keys(content.shapes).map((name) => [name, "(rt, k) => rt"]))),
      ),
      /`shapes\.[0-9a-f]+` does not have the digest that it is called by/,
    ],
    [
      "a program that the sandbox refuses",
      changed((content) => Object.assign(content.shapes, { [digest("async () => 1")]: "async () => 1" })),
      /`shapes\.[0-9a-f]{64}` cannot be run: line 1, column 1: `async` where `\(rt, k\) => \{` must stand, which the program of a unit may not hold/,
    ],
    [
      "a program that no unit has",
      changed((content) => Object.assign(content.shapes, { [digest(emptyProgram)]: emptyProgram })),
      /`shapes` has one that no unit has/,
    ],
    ...["null", "[]", '{"p":[],"q":[]}', '{"p":"x","q":[]}', '{"p":[{}],"q":{}}', '{"p":[{},{},{}],"q":[]}'].map(
      (trees): [string, Uint8Array, RegExp] => [
        `conditions of other policies than there are: ${trees}`,
        changed((content) => (first(content).trees = trees)),
        /`units\[0\]\.trees` must be the conditions of each policy/,
      ],
    ),
    [
      "a unit of a program that is not there",
      changed((content) => (first(content).shape = "0".repeat(64))),
      /`units\[0\]\.shape` is not among the shapes/,
    ],
    ["another constant", changed((content) => (first(content).constants[0] = "admin")), /`units\[0\]\.digest` does not fit the unit/],
    ["another role", changed((content) => (first(content).scopes[0].patterns[0] = "admin")), /`units\[0\]\.digest` does not fit the unit/],
    [
      "other attributes",
      changed((content) => Object.assign(first(content).scopes[0], { sourceAttributes: {} })),
      /`units\[0\]\.digest` does not fit the unit/,
    ],
    [
      "a key of another policy",
      changed((content) => (first(content).scopes[0].key = "resource.I.vother")),
      /key` is not the key of that policy/,
    ],
    [
      "an id of another unit",
      changed((content) => (first(content).id = "resource A@default")),
      /`units\[0\]\.id` is not the name of that unit/,
    ],
    ["conditions that are none", changed((content) => (first(content).trees = "[]")), /`units\[0\]\.trees` must be the conditions/],
    [
      "a condition of one policy as that of another",
      changed((content) => asking(content.units[1], ([one, other]) => [one, (other ?? []).with(1, 0)])),
      /`units\[1\]\.trees` must hold the questions of resource\.doc\.vdefault\/acme where its program asks for them$/,
    ],
    [
      "the conditions of its policies in another order",
      changed((content) => asking(content.units[1], (questions) => questions.toReversed())),
      /`units\[1\]\.trees` must hold the questions of resource\.doc\.vdefault where/,
    ],
    [
      "a condition less than its program asks",
      changed((content) => asking(content.units[1], (questions) => questions.slice(0, -1))),
      /`units\[1\]\.trees` must hold the questions of resource\.doc\.vdefault\/acme where/,
    ],
    [
      "a condition that stands before those of all policies",
      changed((content) => asking(content.units[1], ([one, ...others]) => [one, one, ...others])),
      /`units\[1\]\.trees` must hold the questions of resource\.doc\.vdefault\/acme where/,
    ],
    [
      "the program of a unit with fewer policies",
      changed((content) => Object.assign(content.units[1] ?? {}, { shape: first(content).shape })),
      /`units\[1\]\.scopes` must be those of the unit's program/,
    ],
    ["units in another order", changed((content) => content.units.reverse()), /does not stand in the order of ids/],
    ["one unit twice", changed((content) => content.units.unshift(first(content))), /does not stand in the order of ids/],
    ["a unit less", changed((content) => content.units.pop()), /`manifest` does not list what the bundle holds|has one that no unit has/],
    [
      "another digest of all",
      changed((content) => (content.manifest.digest = "0".repeat(64))),
      /`manifest\.digest` does not fit the units/,
    ],
    [
      "a schema outside of its folder",
      changed((content) => (content.schemas[0][0] = "../doc.json")),
      /`schemas\[0\]\[0\]` must not have the segments/,
    ],
    [
      "a schema that the manifest does not name",
      changed((content) => content.schemas.push(["e.json", "{}"])),
      /`manifest` does not list what the bundle holds/,
    ],
  ])("%s", (_sentence, bytes, because) => {
    expect(refusalOf(bytes)).toMatch(because);
  });

  test("and nobody asks before it is known whose it is", () => {
    const foreign = signStatement(statementOf("{nothing}"), createPrivateKey(others.privateKey));
    expect(refusalOf(foreign)).toMatch(/^it is signed by another key/);
  });
});

/** The content of a bundle, for those who want to spoil it. */
interface Loose {
  readonly manifest: { format: number; compilerVersion: string; digest: string };
  readonly shapes: { readonly [name: string]: string };
  readonly units: [LooseUnit, ...LooseUnit[]];
  readonly schemas: [[string, string], ...[string, string][]];
}
interface LooseUnit {
  id: string;
  type: string;
  shape: string;
  trees: string;
  readonly constants: unknown[];
  readonly scopes: [{ key: string; readonly patterns: string[]; readonly rows: [{ readonly patterns: number[] }] }];
}

describe("a key file", () => {
  test("may hold several keys, so that the next can be trusted before it is used", () => {
    const file = join(temporaryFolder({ "keys.pub": keys.publicKey + others.publicKey }), "keys.pub");
    const both: Trust = { kind: "keys", keys: readPublicKeys([file]) };
    expect([readBundle(signed, both).keyId, readBundle(buildBundle(files, others), both).keyId]).toEqual([keys.keyId, others.keyId]);
    expect(refusalOf(unsigned, both)).toBe(`it is not signed, and must be, by one of the keys ${keys.keyId}, ${others.keyId}`);
  });

  test("a key is called the same by both of its halves", () => {
    expect([keyIdOf(privateKey), [...readPublicKeys([keys.publicKeyFile]).keys()]]).toEqual([keys.keyId, [keys.keyId]]);
  });
});
