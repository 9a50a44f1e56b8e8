/** Prints the program that is linked with the runtime: the units' functions as code, `check`, `isAllowed`, `manifest`. */
import type { Bundle } from "../../runtime/bundle.ts";
import { invariant } from "../../runtime/cel/error.ts";
import type { RuntimeParts } from "./runtime-parts.ts";
import type { Places } from "./source-map.ts";
import type { ModuleSchemas } from "./schemas.ts";
import type { BuiltManifest } from "./targets.ts";

const linesOf = (text: string | undefined): number => text?.split("\n").length ?? 0;

/** How a unit's program begins. Within it, `rt` is the runtime and `k` the constants. */
const opening = "(rt, k) =>";

/** How programs look up `matches`, the one function with a large implementation. It has one overload in each call form. */
const namedMatches = /(?<=^const \w+ = )rt\.functionNamed\("matches", (?:true|false), 2(?:, "\w+")?\)(?=;$)/gm;

/** A program, and the source position of each of its lines. */
export interface Program {
  readonly text: string;
  readonly places: Places;
}

/** Prints the program; `placesOf` gives the source positions of each shape's lines. */
export function printProgram(
  { shapes, units }: Bundle,
  parts: RuntimeParts,
  manifest: BuiltManifest,
  schemas?: ModuleSchemas,
  placesOf?: ReadonlyMap<string, Places>,
): Program {
  const names = new Map(Object.keys(shapes).map((digest, index) => [digest, `shape${index}`]));
  const factories = Object.entries(shapes).map(([digest, text]) => {
    invariant(text.startsWith(opening), "the emitter writes factories of the runtime and the constants");
    // Here `rt` is an imported namespace, of which the linker keeps only the members that are used.
    const program = parts.plainMatches ? text.replaceAll(namedMatches, "plainMatches") : text;
    return `const ${names.get(digest) ?? ""} = (k) =>${program.slice(opening.length)};`;
  });
  const opened = units.map(({ shape, trees, scopes, ...unit }) => {
    const { interpreter } = parts;
    // Source attributes are only reported together with the effective policies, which need the interpreter.
    const told = interpreter ? scopes : scopes.map((scope) => ({ ...scope, sourceAttributes: undefined }));
    const data = JSON.stringify({ ...unit, digest: undefined, scopes: told, trees: interpreter ? trees : "" });
    return `  [${data}, ${names.get(shape) ?? ""}],`;
  });
  const lacks = parts.interpreter
    ? ""
    : `, lacks: { names: ["strictEvaluation", "evaluationErrors", "effectivePolicies"], why: "build the module with --interpreter" }`;
  const validators = schemas?.validators ?? [];
  const enforced = validators.length === 0 ? "" : ", schemas";
  const head = [
    `import * as rt from "runtime:emitted/members";`,
    ...(parts.plainMatches ? [`import { plainMatches } from "runtime:built/without-regex-engine";`] : []),
    `import { assemble } from "runtime:built/assemble";`,
    `import { decideWith, openDoor } from "runtime:door/open-door";`,
    ...validators.map((_, at) => `import schema${at} from "schema:${at}";`),
    ...(enforced === "" ? [] : [`import { enforceBuilt } from "runtime:schemas/enforce-built";`]),
  ];
  const text = [
    ...head,
    ...factories,
    `const policies = assemble([`,
    ...opened,
    `]);`,
    `export const manifest = Object.freeze(${JSON.stringify(manifest)});`,
    ...(enforced === ""
      ? []
      : [
          `const schemas = enforceBuilt(${JSON.stringify(schemas?.enforcement)}, [`,
          ...validators.map(({ ref }, at) => `  [${JSON.stringify(ref)}, schema${at}],`),
          `]);`,
        ]),
    `const surroundings = { clock: () => Date.now(), report: (error) => globalThis.console?.error(error), policySet: manifest.policySet${lacks}${enforced} };`,
    `export const open = (settings) => openDoor(decideWith(policies), settings, surroundings);`,
    `export const { check, isAllowed } = /* @__PURE__ */ open();`,
    "",
  ].join("\n");
  const places = [
    ...head.map(() => undefined),
    ...Object.keys(shapes).flatMap((digest) => placesOf?.get(digest)?.slice(0, linesOf(shapes[digest])) ?? []),
  ];
  return { text, places };
}
