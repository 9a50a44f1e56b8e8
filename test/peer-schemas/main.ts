/** `npm run fuzz -- schemas`: attributes against random schemas, by us and by the reference; fails when the two do not agree. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../agree/document.ts";
import { openRandom } from "../agree/random.ts";
import { start, type Server } from "../peer-policies/server.ts";
import { locatePeer, peerVersion } from "../peer/locate.ts";
import { openSchemas } from "../../src/schemas/schemas.ts";
import { makeLeftOver, makeParts } from "./left-over.ts";
import { makeLiked, makeSchema, makeValue } from "./schemas.ts";
import { nearlyOf, textsOfFormats } from "./texts.ts";

const located = locatePeer(process.cwd());
if ("missing" in located) {
  console.error(`fuzz schemas: the reference ${peerVersion} cannot be had: ${located.missing}`);
  process.exit(2);
}
const { command } = located;
const seed = Number(process.env["AUTHZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const wanted = Number(process.env["AUTHZ_SCHEMA_VALUES"] ?? 20_000);
console.log(`fuzz schemas: ${wanted} values, seed ${seed} (AUTHZ_SEED repeats it)`);

/** A schema, and what is held against it. */
interface Trial {
  readonly document: Json;
  readonly values: readonly Json[];
  /** We are stricter about formats. */
  readonly mayBeStricter: boolean;
}

const schemasOfStore = 100;
const valuesOfSchema = 30;
const counts = { schemas: 0, values: 0, valid: 0, stricter: 0, unusable: 0, differences: 0 };
const nobody = async (): Promise<never> => Promise.reject(new Error("nothing is fetched"));

for (let store = 0; counts.values < wanted && counts.differences < 10; store++) {
  const random = openRandom(seed * 1000 + store);
  const trials = Array.from({ length: schemasOfStore }, (_, index): Trial => {
    if (index % 4 === 3) {
      const values = Array.from({ length: valuesOfSchema }, () => makeParts(random));
      return { document: makeLeftOver(random), values, mayBeStricter: false };
    }
    if (index % 4 > 0) {
      const { document, of } = makeSchema(random);
      const values = Array.from({ length: valuesOfSchema }, () => (random.chance(0.1) ? makeValue(random, 3) : makeLiked(random, of)));
      return { document, values, mayBeStricter: false };
    }
    const format = random.pick(Object.keys(textsOfFormats));
    const values = Array.from({ length: valuesOfSchema }, () => nearlyOf(random, format));
    return { document: { properties: { v: { format } } }, values, mayBeStricter: true };
  });
  await compare(trials);
}
console.log(JSON.stringify(counts));
process.exit(counts.differences > 0 ? 1 : 0);

async function compare(trials: readonly Trial[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "authz-fuzz-schemas-"));
  mkdirSync(join(directory, "_schemas"));
  for (const [index, { document }] of trials.entries()) {
    writeFileSync(join(directory, "_schemas", `s${index}.json`), JSON.stringify(document));
    const rules = [{ actions: ["view"], roles: ["user"], effect: "EFFECT_ALLOW" }];
    const schemas = { resourceSchema: { ref: `cerbos:///s${index}.json` } };
    const resourcePolicy = { resource: `kind_${index}`, version: "default", schemas, rules };
    writeFileSync(join(directory, `p${index}.json`), JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy }));
  }
  const program = { command, healthPath: "/_cerbos/health", reads: "theirs" } as const;
  const settings = { lenientScopeSearch: false, defaultPolicyVersion: "default", defaultScope: "", globals: {} };
  const started = await start(program, directory, settings, false, { schema: { enforcement: "reject" } });
  if ("refused" in started) throw new Error(started.refused);
  try {
    for (const [index, trial] of trials.entries()) await compareOne(started.server, index, trial);
  } finally {
    await started.server.stop();
    rmSync(directory, { recursive: true, force: true });
    rmSync(`${directory}.conf.yaml`, { force: true });
  }
}

async function compareOne(server: Server, index: number, { document, values, mayBeStricter }: Trial): Promise<void> {
  counts.schemas++;
  const schemas = openSchemas(new Map([["s.json", JSON.stringify(document)]]), {
    allowRefs: ["store"],
    allowedHosts: [],
    fetchText: nobody,
  });
  const found = await schemas.validate(values.map((v) => ({ ref: "authz:///s.json", attributes: { v } })));
  const resources = values.map((v, at) => ({ resource: { kind: `kind_${index}`, id: String(at), attr: { v } }, actions: ["view"] }));
  const { body } = await server.ask(JSON.stringify({ principal: { id: "ann", roles: ["user"] }, resources }));
  const { results } = body as unknown as { readonly results: readonly Result[] };
  const isUnusable = found.some((findings) => findings.some(({ message }) => message.includes("cannot be used")));
  const isUnusableThere = results.some(({ validationErrors = [] }) =>
    validationErrors.some(({ message }) => message.includes("Failed to load")),
  );
  if (isUnusable || isUnusableThere) {
    counts.unusable++;
    if (isUnusable !== isUnusableThere) tell("one of the two cannot use it", document, undefined, isUnusable ? found[0] : results[0]);
    return;
  }
  for (const [at, v] of values.entries()) {
    counts.values++;
    const isValid = found[at]?.length === 0;
    const isValidThere = results[at]?.actions["view"] === "EFFECT_ALLOW";
    if (isValidThere) counts.valid++;
    if (isValid === isValidThere) continue;
    if (mayBeStricter && isValidThere) counts.stricter++;
    else tell(isValid ? "we let it pass" : "we refuse it", document, v, isValid ? results[at] : found[at]);
  }
}

interface Result {
  readonly actions: { readonly [action: string]: string };
  readonly validationErrors?: readonly { readonly message: string }[];
}

function tell(what: string, document: Json, value: Json | undefined, why: unknown): void {
  counts.differences++;
  console.log(`${what}\n  schema ${JSON.stringify(document)}\n  value ${JSON.stringify(value)}\n  because ${JSON.stringify(why)}`);
}
