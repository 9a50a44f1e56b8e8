/** How many shapes of generated code a policy set has: what two policies of one shape share is compiled and learnt once. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../compiler/index.ts";
import { digest } from "../measure.ts";
import type { PolicySetOnDisk } from "./kit.ts";

const most = 100;

/** As "4 of 400": shapes of what is compiled by itself, in the first hundred units. */
export function shapesOf({ policies, bodies, bodiesOfUnit, filesOf }: PolicySetOnDisk): string {
  const units = Math.min(most, bodies.length / bodiesOfUnit);
  const paths = Array.from({ length: units }, (_, unit) => filesOf(unit)).flat();
  const { compiled, diagnostics } = compile(
    paths.map((path) => ({ path, text: readFileSync(join(policies, path), "utf8") })),
    { digest },
  );
  if (compiled === undefined) throw new Error(`the set does not compile: ${diagnostics[0]?.message}`);
  return `${Object.keys(compiled.bundle.shapes).length} of ${compiled.bundle.units.length}`;
}
