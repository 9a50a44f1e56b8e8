/** A bundle -> the text of the program that is linked with the runtime: the units' functions as code, `check`, `isAllowed`, `manifest`. */
import type { Bundle } from "../../runtime/bundle.ts";
import { invariant } from "../../runtime/cel/error.ts";
import type { Parts } from "./parts.ts";
import type { BuiltManifest } from "./targets.ts";

/** How programs of units begin: what they call of the runtime is `rt`. */
const opening = "(rt, k) =>";

/** How programs look up the one function whose machine is large; `matches` has one overload in either form. */
const namedMatches = /(?<=^const \w+ = )rt\.functionNamed\("matches", (?:true|false), 2(?:, "\w+")?\)(?=;$)/gm;

/** Writes the program. */
export function printProgram({ shapes, units }: Bundle, parts: Parts, manifest: BuiltManifest): string {
  const names = new Map(Object.keys(shapes).map((digest, index) => [digest, `shape${index}`]));
  const factories = Object.entries(shapes).map(([digest, text]) => {
    invariant(text.startsWith(opening), "the emitter writes factories of the runtime and the constants");
    // `rt` is then what is imported, of which only the members that are named stay.
    const program = parts.plainMatches ? text.replaceAll(namedMatches, "plainMatches") : text;
    return `const ${names.get(digest) ?? ""} = (k) =>${program.slice(opening.length)};`;
  });
  const opened = units.map(({ shape, trees, ...unit }) => {
    const data = JSON.stringify({ ...unit, digest: "", shape: "", trees: parts.interpreter ? trees : "" });
    return `  [${data}, ${names.get(shape) ?? ""}],`;
  });
  const lacks = parts.interpreter
    ? ""
    : `, lacks: { names: ["strictEvaluation", "evaluationErrors", "effectivePolicies"], why: "build the module with --interpreter" }`;
  return [
    `import * as rt from "runtime:emitted/members";`,
    ...(parts.plainMatches ? [`import { plainMatches } from "runtime:built/plain-patterns";`] : []),
    `import { assemble } from "runtime:built/assemble";`,
    `import { decideWith, openDoor } from "runtime:door/open-door";`,
    ...factories,
    `const policies = assemble([`,
    ...opened,
    `]);`,
    `export const manifest = Object.freeze(${JSON.stringify(manifest)});`,
    `const surroundings = { clock: () => Date.now(), report: (error) => globalThis.console?.error(error), policySet: manifest.policySet${lacks} };`,
    `export const open = (settings) => openDoor(decideWith(policies), settings, surroundings);`,
    `export const { check, isAllowed } = /* @__PURE__ */ open();`,
    "",
  ].join("\n");
}
