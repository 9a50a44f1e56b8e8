/** Are a server's answers right? Each is held against the reference interpreter of the compiler, over the policies of the unit that is asked about. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../compiler/index.ts";
import { decide } from "../../compiler/reference/decide.ts";
import type { CheckInput } from "../../runtime/decide/input.ts";
import { options } from "../decide/ours.ts";
import { digest } from "../measure.ts";
import type { PolicySetOnDisk } from "./kit.ts";

interface Asked {
  readonly principal: CheckInput["principal"];
  readonly resources: readonly { readonly resource: CheckInput["resource"]; readonly actions: readonly string[] }[];
}
interface Answered {
  readonly results: readonly { readonly actions: { readonly [action: string]: string } }[];
}

/** Asks about so many units, spread over all, everything that the set asks about them; throws at the first wrong effect, and answers how many were right. */
export async function verify(set: PolicySetOnDisk, units: number, ask: (body: string) => Promise<string>): Promise<number> {
  const all = set.bodies.length / set.bodiesOfUnit;
  let right = 0;
  for (let each = 0; each < units; each++) {
    const unit = Math.floor((each * all) / units);
    const sources = set.filesOf(unit).map((path) => ({ path, text: readFileSync(join(set.policies, path), "utf8") }));
    const { compiled, diagnostics } = compile(sources, { digest });
    if (compiled === undefined) throw new Error(`unit ${unit} does not compile: ${diagnostics[0]?.message}`);
    for (const body of set.bodies.slice(unit * set.bodiesOfUnit, (unit + 1) * set.bodiesOfUnit)) {
      const { principal, resources }: Asked = JSON.parse(body);
      const { results }: Answered = JSON.parse(await ask(body));
      for (const [at, { resource, actions }] of resources.entries()) {
        const expected = decide(compiled.policySet, { principal, resource, actions }, options);
        for (const action of actions) {
          const [is, ought] = [results[at]?.actions[action], expected.actions.get(action)?.effect];
          if (is !== ought) throw new Error(`unit ${unit}, ${resource.kind}, ${action}: answered ${is}, the reference says ${ought}`);
          right++;
        }
      }
    }
  }
  return right;
}
