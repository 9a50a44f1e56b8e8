/** The run: random policies, servers that hold them and differ in what they keep, and questions that are nearly alike, asked in different ways. */
import { hashSync } from "bcryptjs";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../compiler/index.ts";
import type { PolicySet } from "../../compiler/link/policy-set.ts";
import { explain } from "../../compiler/reference/decide.ts";
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import { alter } from "../agree/alter.ts";
import type { Document } from "../agree/document.ts";
import { accepts, digest, sourcesOf } from "../agree/judge.ts";
import { makePolicies } from "../agree/policies.ts";
import { openRandom, type Random } from "../agree/random.ts";
import { makeBatch, type Batch } from "../agree/requests.ts";
import { attributeNames, globals } from "../agree/vocabulary.ts";
import { startServer, temporaryFolder, type TestServer } from "../server/harness.ts";
import { askHttp1, openHttp2, type Heard } from "./clients.ts";
import { asClaims, keySet, messageOf, requestOf, respelt, type Question } from "./question.ts";
import { sorted, tellsSame, toldByDecision, toldByEntry, toldByReply } from "./told.ts";

/** What is counted, over all rounds. */
export interface Counts {
  rounds: number;
  calls: number;
  refused: number;
  allowed: number;
  decisions: number;
  entries: number;
}

export const nothingCounted = (): Counts => ({ rounds: 0, calls: 0, refused: 0, allowed: 0, decisions: 0, entries: 0 });

/** Policies, as they are written and as they are linked. */
interface Policies {
  readonly documents: readonly Document[];
  readonly policySet: PolicySet;
}

/** What servers begin with, how they decide, and what takes the place of it. */
interface Scene extends Policies {
  readonly later: Policies | undefined;
  readonly options: CheckOptions;
  readonly settings: { readonly [key: string]: string | number | boolean };
}

/** A question, and all that came back. */
interface Asked {
  readonly question: Question;
  readonly policySet: PolicySet;
  readonly heard: readonly { readonly way: string; readonly heard: Heard }[];
}

/** Plays one round of so many questions; answers what was wrong, in words. */
export async function playRound(seed: number, round: number, questions: number, counts: Counts): Promise<string | undefined> {
  const random = openRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(round + 1, 0x85ebca6b));
  const scene = makeScene(random);
  if (scene === undefined) return undefined;
  counts.rounds++;
  const folder = temporaryFolder({});
  const audit = join(folder, "audit.log");
  const plain = await serve(scene, { "engine.celErrorLogLevel": random.pick(["off", "error"]) });
  const recording = await serve(scene, { "audit.enabled": true, "audit.file.path": audit, "audit.maxEntrySize": 2 ** 26 });
  try {
    const batches = [...random.several(3, 6, () => makeBatch(random, scene.documents))];
    const asked: Asked[] = [];
    let inForce: Policies = scene;
    for (let left = questions; left > 0;) {
      if (left < questions / 2 && scene.later !== undefined && inForce === scene) {
        inForce = scene.later;
        await Promise.all([plain, recording].map((server) => replace(server, scene.documents, scene.later?.documents ?? [])));
        if (random.chance(0.5)) batches[0] = makeBatch(random, inForce.documents);
      }
      const some = random.several(1, 6, () => next(random, batches));
      left -= some.length;
      asked.push(...(await askAll(random, { plain, recording }, some, inForce.policySet)));
    }
    await recording.stop();
    const entries = new Map(
      readFileSync(audit, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Entry)
        .filter((entry) => entry["log.kind"] === "decision")
        .map((entry) => [entry.callId, entry]),
    );
    for (const one of asked) {
      const found = judge(scene, one, entries, counts);
      if (found !== undefined)
        return `AUTHZ_SEED=${seed} AUTHZ_WAYS_FROM=${round}\n${found}\n${JSON.stringify(scene.settings)}\n${JSON.stringify([scene.documents, scene.later?.documents], undefined, 1)}`;
    }
    return undefined;
  } finally {
    await plain.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Entry {
  readonly "log.kind": string;
  readonly callId: string;
  readonly checkResources?: {
    readonly inputs?: readonly object[];
    readonly outputs?: readonly { readonly [name: string]: unknown }[];
    readonly error?: string;
  };
}

function makeSome(random: Random): Policies | undefined {
  const text = JSON.stringify(makePolicies(random, accepts))
    // A schema of the store wants the attribute that it is called by.
    .replaceAll(/"ref":"([^"]+\.json)"/g, '"ref":"authz:///$1"')
    // Two servers and the reference have three clocks.
    .replaceAll("now()", "timestamp('2024-02-29T12:00:00Z')")
    .replaceAll(".timeSince()", ".getSeconds()");
  const documents: readonly Document[] = JSON.parse(text);
  const { compiled } = compile(sourcesOf(documents), { digest });
  return compiled && { documents, policySet: compiled.policySet };
}

function makeScene(random: Random): Scene | undefined {
  const first = makeSome(random);
  if (first === undefined) return undefined;
  const enforcement = random.pick(["none", "none", "warn", "reject"] as const);
  const chosen = {
    strictEvaluation: random.chance(0.15),
    lenientScopeSearch: random.chance(0.3),
    defaultPolicyVersion: random.chance(0.1) ? "v2" : "default",
    defaultScope: random.chance(0.2) ? random.pick(["acme", "acme.hr", "nowhere"]) : "",
  };
  const validate: NonNullable<CheckOptions["schemas"]>["validate"] = (_input, source, ref, attributes) => {
    const wanted = ref.replace("authz:///", "").replace(".json", "");
    return Object.hasOwn(attributes, wanted) ? [] : [{ path: "/", message: `no ${wanted}`, source }];
  };
  return {
    ...first,
    later: makeSome(random),
    options: {
      ...chosen,
      globals,
      now: Date.now(),
      nowOffset: "local",
      evaluationErrors: true,
      effectivePolicies: true,
      ...(enforcement !== "none" && { schemas: { enforcement, validate } }),
    },
    settings: {
      ...Object.fromEntries(Object.entries(chosen).map(([name, value]) => [`engine.${name}`, value])),
      "schema.enforcement": enforcement,
    },
  };
}

const password = "s3cret";
const administered = {
  "server.adminAPI.enabled": true,
  "server.adminAPI.adminCredentials.passwordHash": Buffer.from(hashSync(password, 4)).toString("base64"),
};
const basic = { authorization: `Basic ${Buffer.from(`authz:${password}`).toString("base64")}` };

/** Puts other policies in the place of some, and waits until they are in force. */
async function replace(server: TestServer, before: readonly Document[], now: readonly Document[]): Promise<void> {
  for (const { path } of sourcesOf(before)) rmSync(join(server.directory, path));
  for (const { path, text } of sourcesOf(now)) writeFileSync(join(server.directory, path), text);
  const { status, text } = await server.get("/admin/store/reload?wait=true", { headers: basic });
  if (status !== 200) throw new Error(text);
}

function serve(scene: Scene, settings: Scene["settings"]): Promise<TestServer> {
  const policies = Object.fromEntries([
    ...sourcesOf(scene.documents).map(({ path, text }) => [path, text] as const),
    ...attributeNames.map((name) => [`_schemas/${name}.json`, JSON.stringify({ required: [name] })] as const),
  ]);
  const keySets = [{ id: "k", local: { data: Buffer.from(keySet).toString("base64") } }];
  const written = JSON.stringify({ auxData: { jwt: { keySets } }, engine: { globals: { ...globals, limit: 5 } } });
  const file = join(temporaryFolder({ "authz.yaml": written }), "authz.yaml");
  return startServer({ policies, file, settings: { ...scene.settings, ...administered, ...settings, "server.logLevel": "error" } });
}

/** The next question: nearly one that was asked before. */
function next(random: Random, batches: Batch[]): Question {
  const at = random.whole(batches.length);
  const batch = alter(random, batches[at] ?? random.pick(batches));
  if (random.chance(0.4)) batches[at] = batch;
  const [first] = batch.inputs;
  // A request has one principal, and its tokens.
  const inputs = batch.inputs.map((input): CheckInput => {
    const { auxData: _own, ...rest } = input;
    return { ...rest, principal: first?.principal ?? input.principal, ...(first?.auxData && { auxData: first.auxData }) };
  });
  return { inputs, includeMeta: random.chance(0.5) };
}

async function askAll(
  random: Random,
  servers: { readonly plain: TestServer; readonly recording: TestServer },
  questions: readonly Question[],
  policySet: PolicySet,
): Promise<readonly Asked[]> {
  const heard = questions.map((): { way: string; heard: Heard }[] => []);
  const requests = questions.map(requestOf);
  for (const name of random.some(2, 2, ["plain", "recording"] as const)) {
    const server = servers[name];
    const http2 = openHttp2(server);
    const ways: readonly (readonly [string, () => Promise<readonly Heard[]>])[] = [
      [
        "HTTP/1.1",
        () =>
          askHttp1(
            random,
            server,
            requests.map((one) => respelt(random, one)),
          ),
      ],
      ["HTTP/2", () => Promise.all(requests.map((one) => http2.asJson(respelt(random, one))))],
      ["gRPC", () => Promise.all(requests.map((one) => http2.asMessage(messageOf(one, false))))],
      ["odd gRPC", () => Promise.all(requests.map((one) => http2.asMessage(messageOf(one, true))))],
    ];
    for (const [way, ask] of random.some(2, 4, ways)) {
      const answers = await ask();
      answers.forEach((answer, at) => heard[at]?.push({ way: `${way}, ${name}`, heard: answer }));
    }
    http2.close();
  }
  return questions.map((question, at) => ({ question, policySet, heard: heard[at] ?? [] }));
}

function judge(
  { options }: Scene,
  { question, policySet, heard }: Asked,
  entries: ReadonlyMap<string, Entry>,
  counts: Counts,
): string | undefined {
  const inputs = question.inputs.map(asRead);
  let expected: readonly ReturnType<typeof toldByDecision>[] | undefined;
  const about = (way: string, more: unknown): string =>
    `${way}\n${JSON.stringify(requestOf(question))}\n${JSON.stringify(more, undefined, 1)}`;
  const refused = heard.filter((one) => "code" in one.heard);
  counts.calls += heard.length;
  if (refused.length > 0) {
    counts.refused += refused.length;
    const others = heard.filter((one) => !("code" in one.heard && one.heard.code === 3));
    return others.length === 0 ? undefined : about("some ways are refused, others are not", heard);
  }
  for (const { way, heard: answer } of heard) {
    if (!("reply" in answer)) continue;
    const { reply } = answer;
    expected ??= inputs.map((input, index) => toldByDecision(explain(policySet, input, options, index)));
    const all = expected;
    const told = reply.results.map(toldByReply);
    counts.decisions += told.reduce((sum, { effects }) => sum + Object.keys(effects).length, 0);
    counts.allowed += told.reduce((sum, { effects }) => sum + Object.values(effects).filter((one) => one === "EFFECT_ALLOW").length, 0);
    const wrong = all.findIndex((one, at) => told[at] === undefined || !tellsSame(one, told[at]));
    if (wrong !== -1 || told.length !== all.length) return about(`${way}: resource ${wrong}`, { reference: all[wrong], told: told[wrong] });
    if (!way.endsWith("recording")) continue;
    const entry = entries.get(reply.authzCallId);
    if (entry === undefined) return about(`${way}: no entry of ${reply.authzCallId}`, heard);
    counts.entries++;
    const outputs = entry.checkResources?.outputs?.map(toldByEntry) ?? [];
    const missaid = all.findIndex((one, at) => outputs[at] === undefined || !tellsSame(one, outputs[at]));
    if (missaid !== -1) return about(`${way}: what the entry says of ${missaid}`, { reference: all[missaid], told: outputs[missaid] });
    const wanted = JSON.stringify(sorted(inputs.map(asRecorded)));
    const recorded = JSON.stringify(sorted(entry.checkResources?.inputs));
    if (recorded !== wanted) return about(`${way}: what the entry says was asked`, { wanted, recorded });
  }
  return undefined;
}

/** An input as a server reads it: what is empty is not set, and claims are those that it hands on. */
function asRead({ auxData, principal, resource, requestId, actions }: CheckInput): CheckInput {
  const claims =
    auxData?.jwt !== undefined
      ? { jwt: asClaims(auxData.jwt) }
      : { jwts: Object.fromEntries(Object.entries(auxData?.jwts ?? {}).map(([name, one]) => [name, { claims: asClaims(one.claims) }])) };
  return {
    ...(requestId !== undefined && { requestId }),
    principal: withoutEmpty(principal),
    resource: withoutEmpty(resource),
    actions,
    ...(auxData !== undefined && { auxData: claims }),
  };
}

function withoutEmpty<T extends CheckInput["principal"] | CheckInput["resource"]>(side: T): T {
  const { attr, policyVersion, scope, ...rest } = side;
  return {
    ...rest,
    ...(attr !== undefined && Object.keys(attr).length > 0 && { attr }),
    ...(policyVersion && { policyVersion }),
    ...(scope && { scope }),
  } as T;
}

const asRecorded = (input: CheckInput): object => ({ ...input });
