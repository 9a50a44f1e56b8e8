/** Realms to attack: as the server opens them, and with the grammar gate taken out of the guest. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { RealmTexts } from "../../runtime/sandbox/realm.ts";

/** Puts a gate that admits everything in the place of the real one: no setting of the program could do that. */
const withoutGate: Plugin = {
  name: "without the gate",
  setup(builder) {
    builder.onResolve({ filter: /^\.\/gate\/index\.ts$/ }, ({ path }) => ({ path, namespace: "open" }));
    builder.onLoad({ filter: /./, namespace: "open" }, () => ({
      contents:
        "export const refusalOf = () => undefined; export const readProgram = () => ({ uses: [], prices: { loading: { length: 1, allocates: 0 }, loopStep: { length: 1, allocates: 0 }, policies: [], longestText: 0 } });",
      loader: "js",
    }));
  },
};

async function guestText(plugins: Plugin[]): Promise<string> {
  const built = await build({
    entryPoints: [fileURLToPath(new URL("../../runtime/sandbox/guest.ts", import.meta.url))],
    bundle: true,
    format: "iife",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    write: false,
    plugins,
  });
  return built.outputFiles[0]?.text ?? "";
}

const lockdown = readFileSync(createRequire(import.meta.url).resolve("ses"), "utf8");

/** The texts of the server's own realm. */
export const gatedTexts = async (): Promise<RealmTexts> => ({ guest: await guestText([]), lockdown });

/** The texts of a realm in which every program is evaluated that the compartment takes. */
export const ungatedTexts = async (): Promise<RealmTexts> => ({ guest: await guestText([withoutGate]), lockdown });

/** A realm without any wall: nothing is locked down, programs are evaluated beside the guest. It shows what the walls keep off. */
export const openTexts = async (): Promise<RealmTexts> => ({
  guest: await guestText([withoutGate]),
  lockdown: `globalThis.repairIntrinsics = globalThis.hardenIntrinsics = () => {};
globalThis.harden = (value) => value;
const evaluateHere = eval;
globalThis.Compartment = class { globalThis = {}; evaluate(text) { return evaluateHere("(" + text + ")"); } };`,
});
