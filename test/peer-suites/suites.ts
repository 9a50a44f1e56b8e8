/** Random test suites for a random store: fixtures from random requests, expectations that hold and some that do not. */
import type { Random } from "../agree/random.ts";
import { answersOf } from "../peer-policies/compare.ts";
import type { Reply } from "../peer-policies/server.ts";
import type { Json, Principal, Request, Resource, Store } from "../peer-policies/store.ts";

/** A suite as it is written, and what a difference in it is traced back to. */
export interface MadeSuite {
  readonly file: string;
  readonly document: Json;
  readonly principals: ReadonlyMap<string, Principal>;
  readonly resources: ReadonlyMap<string, Resource>;
  /** What each test asks in one check. */
  readonly actions: ReadonlyMap<string, readonly string[]>;
  /** Names of tests that list outputs of one action in two items. */
  readonly saysOutputsTwice: ReadonlySet<string>;
}

/** Makes a suite of a few requests; `answers` are ours, to expect what is so. */
export function makeSuite(
  random: Random,
  file: string,
  { settings }: Store,
  asked: readonly { readonly request: Request; readonly reply: Reply }[],
): MadeSuite {
  const principals = new Map(asked.map(({ request }, index) => [`p${index}`, request.principal] as const));
  const resources = new Map(
    asked.flatMap(({ request }, index) => request.resources.map(({ resource }, entry) => [`r${index}_${entry}`, resource] as const)),
  );
  const saysOutputsTwice = new Set<string>();
  const asks = new Map<string, readonly string[]>();
  const tests = asked.flatMap(({ request, reply }, index) => {
    const answers = answersOf(reply.body);
    return request.resources.map(({ actions }, entry): Json => {
      const answer = answers[entry];
      const principal = `p${index}`;
      const resource = `r${index}_${entry}`;
      const wider = random.chance(0.2);
      const effects = actions.flatMap((action): readonly (readonly [string, Json])[] => {
        if (random.chance(0.1)) return [];
        const is = answer?.actions.get(action)?.effect ?? "EFFECT_DENY";
        return [[action, random.chance(0.85) ? is : random.pick(["EFFECT_ALLOW", "EFFECT_DENY"])]];
      });
      const outputs = (answer?.outputs ?? [])
        .filter(() => random.chance(0.5))
        .map(({ src, action, val }) => ({
          action,
          expected: [{ src: random.chance(0.9) ? src : `${src}x`, val: random.chance(0.8) && val !== "" ? (JSON.parse(val) as Json) : 7 }],
        }));
      const name = mistake(random, 0.01) ? "t0" : `t${index}_${entry}`;
      asks.set(name, actions);
      if (new Set(outputs.map(({ action }) => action)).size < outputs.length) saysOutputsTwice.add(name);
      return {
        name,
        ...(random.chance(0.05) && { skip: true, skipReason: "not now" }),
        ...(random.chance(0.15) && { options: options(random, settings) }),
        input: {
          principals: [principal, ...(wider ? [...principals.keys()].filter((name) => name !== principal && random.chance(0.4)) : [])],
          resources: [resource, ...(wider ? [...resources.keys()].filter((name) => name !== resource && random.chance(0.2)) : [])],
          actions,
          ...(mistake(random, 0.005) && { auxData: "nobody" }),
        },
        expected: [
          {
            ...(random.chance(0.5) ? { principal } : { principals: [principal] }),
            ...(random.chance(0.5) ? { resource } : { resources: [resource] }),
            actions: Object.fromEntries(effects.length > 0 ? effects : [[actions[0] ?? "view", "EFFECT_DENY"]]),
            ...(outputs.length > 0 && { outputs }),
          },
          ...(mistake(random, 0.005) ? [{ principal: "nobody", resource, actions: { [actions[0] ?? "view"]: "EFFECT_ALLOW" } }] : []),
          ...(mistake(random, 0.005) ? [{ principal, resource, actions: { unheard: "EFFECT_ALLOW" } }] : []),
        ],
      };
    });
  });
  const document: Json = {
    name: file,
    description: "made",
    ...(random.chance(0.02) && { skip: true }),
    options: options(random, settings),
    principals: Object.fromEntries([...principals].map(([name, value]) => [name, plain(value)])),
    resources: Object.fromEntries([...resources].map(([name, value]) => [name, plain(value)])),
    tests,
  };
  return { file, document, principals, resources, actions: asks, saysOutputsTwice };
}

const mistake = (random: Random, probability: number): boolean => random.chance(probability);

const plain = (value: Principal | Resource): Json => JSON.parse(JSON.stringify(value)) as Json; // a fixture is JSON

function options(random: Random, { globals, lenientScopeSearch, defaultPolicyVersion, defaultScope }: Store["settings"]): Json {
  return {
    ...(random.chance(0.8) && { now: "2026-01-01T00:00:00Z" }),
    globals: { ...globals },
    lenientScopeSearch,
    defaultPolicyVersion,
    defaultScope,
  };
}
