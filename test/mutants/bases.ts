/** Honest bundles, what to ask of them, and what they answer. */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { writeConstant } from "../../compiler/emit/constant.ts";
import { compile } from "../../compiler/index.ts";
import { writeLegend } from "../../compiler/legend/write-legend.ts";
import type { Source } from "../../compiler/source.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { CheckInput } from "../../runtime/decide/input.ts";
import type { Realm } from "../../runtime/sandbox/realm.ts";
import { writeBundle } from "../../src/bundle/index.ts";
import { generateKeys, keyIdOf, type TrustedKeys } from "../../src/bundle/keys.ts";
import { digest } from "../../src/texts/digest.ts";
import { sourcesOf } from "../agree/judge.ts";
import { optionsOf as agreeOptions } from "../agree/requests.ts";
import { makeTrial } from "../agree/run.ts";
import { decideFolders } from "../golden/cases.ts";
import { optionsOf as goldenOptions } from "../golden/settings.ts";

/** A bundle as somebody has built and signed it. */
export interface Base {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly bundle: Bundle;
  /** How the realm is configured, and the bodies that it is then asked. */
  readonly questions: readonly Question[];
}

/** What is asked under one configuration. */
export interface Question {
  readonly settings: string;
  readonly bodies: readonly string[];
}

const pair = generateKeys();
/** The key of those who build. */
export const key: KeyObject = createPrivateKey(pair.privateKey);
/** Whom servers believe. */
export const trusted: TrustedKeys = new Map([[keyIdOf(key), createPublicKey(pair.publicKey)]]);
/** Somebody else. */
export const stranger: KeyObject = createPrivateKey(generateKeys().privateKey);

/** Makes them: every folder of the golden decisions, and random policy sets beside them. */
export function makeBases(
  seed: number,
  { random, golden: which = /./ }: { readonly random: number; readonly golden?: RegExp },
): readonly Base[] {
  const folders = decideFolders().filter(({ name }) => which.test(name));
  const golden = folders.flatMap(({ name, sources, schemas, cases }): readonly Base[] => {
    const asked = cases
      .filter(({ auxData, tokens }) => auxData === undefined && tokens === undefined)
      .map(({ settings, principal, asked: each }) => ({
        settings: settingsOf(goldenOptions(settings, schemas)),
        bodies: [bodyOf(each.map(({ resource, actions }) => ({ principal, resource, actions })))],
      }));
    return baseOf(`golden/decide/${name}`, sources, schemas, asked);
  });
  const others = Array.from({ length: random }, (_, set) => {
    const { documents, batches } = makeTrial(seed, set);
    const asked = batches.map(({ inputs, settings }) => ({
      settings: settingsOf(agreeOptions(settings, false)),
      bodies: [bodyOf(inputs)],
    }));
    return baseOf(`random ${set}`, sourcesOf(documents), new Map(), asked.slice(0, 12));
  });
  return [...golden, ...others.flat()];
}

function baseOf(
  name: string,
  sources: readonly Source[],
  schemas: ReadonlyMap<string, string>,
  questions: readonly Question[],
): readonly Base[] {
  const { compiled } = compile(sources, { digest });
  if (compiled === undefined || questions.length === 0 || compiled.bundle.units.length === 0) return [];
  const { bundle, table } = compiled;
  const legend = writeLegend(table.units, compiled.documents());
  return [{ name, bundle, bytes: writeBundle({ bundle, schemas, policies: sources.length, legend }, key), questions }];
}

interface Chosen {
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly lenientScopeSearch: boolean;
  readonly strictEvaluation: boolean;
  readonly globals: { readonly [name: string]: Value };
}

const settingsOf = ({ globals, defaultPolicyVersion, defaultScope, lenientScopeSearch, strictEvaluation }: Chosen): string =>
  JSON.stringify({
    defaultPolicyVersion,
    defaultScope,
    lenientScopeSearch,
    strictEvaluation,
    globals: Object.fromEntries(Object.entries(globals).map(([name, value]) => [name, writeConstant(value)])),
  });

const bodyOf = (inputs: readonly CheckInput[]): string =>
  JSON.stringify({
    requestId: "mutants",
    includeMeta: true,
    principal: inputs[0]?.principal,
    resources: inputs.map(({ resource, actions }) => ({ resource, actions })),
  });

/** What the set in force answers to all of it. */
export function answersOf(realm: Realm, questions: readonly Question[]): readonly string[] {
  return questions.flatMap(({ settings, bodies }) => {
    realm.configure(settings);
    return bodies.map((body) => realm.checkResources(body, "", 1_709_208_000_123));
  });
}
