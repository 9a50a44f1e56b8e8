/** Opens the real realm for tests: the guest built as the program builds it, and bundles whose program is written by hand. */
import type { Bundle } from "../../../runtime/bundle.ts";
import { openRealm } from "../../../runtime/sandbox/realm.ts";
import type { Realm } from "../../../runtime/sandbox/realm.ts";
import { gatedTexts, ungatedTexts } from "../../attacks/realms.ts";

/** The texts a realm is made of. */
export const texts = await gatedTexts();
const textsWithoutGate = await ungatedTexts();

export const open = (): Realm => openRealm(texts);

/** A realm that refuses no program before it is evaluated: what stands behind the gate must hold by itself. */
export const openWithoutGate = (): Realm => openRealm(textsWithoutGate);

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
  `(rt, k) => {\n${before}\nreturn { scopes: [["", { derivedRoles: (q) => [], decide: (q, action, roles) => { ${decide} }, first: 0 }]] };\n}`;

/** A request of one action on one memo. */
export const asking = (attr = "{}", action = "view"): string =>
  `{"principal":{"id":"ann","roles":["user"]},"resources":[{"actions":[${JSON.stringify(action)}],"resource":{"kind":"memo","id":"1","attr":${attr}}}]}`;
