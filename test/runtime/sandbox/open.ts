/** Opens the real realm for tests: the guest built as the program builds it, and bundles whose program is written by hand. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { Bundle } from "../../../runtime/bundle.ts";
import { openRealm } from "../../../runtime/sandbox/realm.ts";
import type { Realm } from "../../../runtime/sandbox/realm.ts";

const built = buildSync({
  entryPoints: [fileURLToPath(new URL("../../../runtime/sandbox/guest.ts", import.meta.url))],
  bundle: true,
  format: "iife",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2022",
  write: false,
});

/** The texts a realm is made of. */
export const texts = {
  guest: built.outputFiles[0]?.text ?? "",
  lockdown: readFileSync(createRequire(import.meta.url).resolve("ses"), "utf8"),
};

export const open = (): Realm => openRealm(texts);

/** A bundle of one unit, `memo` in the default version, whose factory is the given program. */
export const bundleOf = (program: string): Bundle => ({
  manifest: { format: 1, compilerVersion: "test", digest: program },
  shapes: { [program]: program },
  units: [
    {
      id: "resource memo@default",
      type: "resource",
      name: "memo",
      writtenName: "memo",
      version: "default",
      digest: program,
      shape: program,
      constants: [],
      scopes: [
        {
          scope: "",
          key: "resource.memo.vdefault",
          patterns: ["*"],
          rows: [{ actions: [{ kind: "any" }], patterns: [0] }],
          sourceAttributes: {},
        },
      ],
      trees: '{"p":[{"v":[],"c":[],"d":[]}],"q":[]}',
    },
  ],
});

/** A program whose only policy answers every action with what `decide` (of rt, k, q, action, roles) says. */
export const deciding = (decide: string, before = ""): string =>
  `(rt, k) => {\n${before}\nreturn { scopes: [["", { derivedRoles: (q) => [], decide: (q, action, roles) => { ${decide} } }]] };\n}`;

/** A request of one action on one memo. */
export const asking = (attr = "{}", action = "view"): string =>
  `{"principal":{"id":"ann","roles":["user"]},"resources":[{"actions":[${JSON.stringify(action)}],"resource":{"kind":"memo","id":"1","attr":${attr}}}]}`;
