/** What happens to a store during the run: steps at random, one after the other. */
import type { JsonObject } from "@bufbuild/protobuf";
import { administeredPiece, breakage, policyMessage, policyPiece, schemaDefinition, sharedPiece } from "./write-policies.ts";
import { check, pause, type Play } from "./play.ts";
import { resources, schemaFile, type Files, type Form, type Piece, type Policy } from "./policy-set.ts";

const forms: readonly Form[] = ["plain", "constants", "roles", "schema"];
const sharedFiles = { constants: "shared/constants.yaml", roles: "shared/roles.yaml", schema: schemaFile } as const;

/** Counts up over the whole run. */
let generation = 0;

/** Returns the first content: every kind of resource, all that policies lean on, and the ballast. */
export function firstFiles(pathOf: (resource: string) => string, ballast: Files): Files {
  const shared = Object.entries({
    [sharedFiles.constants]: sharedPiece("constants", ++generation),
    [sharedFiles.roles]: sharedPiece("roles", generation),
    [sharedFiles.schema]: sharedPiece("schema", generation),
  });
  const policies = resources.map(
    (resource, index) => [pathOf(resource), policyPiece(resource, generation, forms[index % 4] ?? "plain")] as const,
  );
  return new Map<string, Piece>([...shared, ...policies, ...ballast]);
}

const placeOf = (files: Files, resource: string): string | undefined =>
  [...files].find(([, { meaning }]) => meaning.kind === "policy" && meaning.resource === resource)?.[0];
const policyIn = (files: Files, resource: string): Policy | undefined => {
  const meaning = files.get(placeOf(files, resource) ?? "")?.meaning;
  return meaning?.kind === "policy" ? meaning : undefined;
};

/** Rewrites some policies, adds those that are not there, and perhaps what they lean on. */
function edited({ random, scene }: Play, files: Files, least: number, most: number): Files {
  const next = new Map(files);
  const now = ++generation;
  for (const resource of random.some(least, most, resources)) {
    const path = placeOf(next, resource) ?? scene.pathOf(resource, random);
    next.set(path, policyPiece(resource, now, random.pick(forms)));
  }
  for (const kind of ["constants", "roles", "schema"] as const)
    if (random.chance(0.25)) next.set(sharedFiles[kind], sharedPiece(kind, now));
  return next;
}

function without({ random }: Play, files: Files): Files {
  const next = new Map(files);
  for (const resource of random.some(1, 3, resources)) next.delete(placeOf(next, resource) ?? "");
  if (random.chance(0.1)) next.delete(schemaFile);
  return next;
}

/** Gives some policies other paths. */
function moved({ random, scene }: Play, files: Files): Files {
  const next = new Map(files);
  for (const resource of random.some(1, 4, resources)) {
    const from = placeOf(next, resource) ?? "";
    const piece = next.get(from);
    const to = scene.pathOf(resource, random);
    if (piece === undefined || next.has(to)) continue;
    next.delete(from);
    next.set(to, piece);
  }
  return next;
}

/** Breaks the set for a while, and mends it, to what it was or to something new. */
async function breakFor(play: Play, milliseconds: number): Promise<void> {
  const { random, note, counts } = play;
  const before = play.files();
  const [path, piece] = breakage(random, before);
  note(`breaks ${path} for ${milliseconds} ms`);
  counts.breakages++;
  await play.publish(new Map([...before, [path, piece]]));
  await pause(milliseconds);
  if (random.chance(0.3)) {
    const still = new Map(edited(play, before, 1, 3));
    await play.publish(new Map([...still, [path, piece]]));
    await pause(random.whole(500));
    await play.publish(still);
  } else await play.publish(random.chance(0.5) ? before : edited(play, before, 1, resources.length));
  note("mended");
}

/** Changes something through the administration API; the server that was asked must know it at once. */
async function administer(play: Play): Promise<void> {
  const { random, note, scene, stage, counts } = play;
  const server = random.pick(play.inRotation());
  const protocol = random.pick(["http", "grpc"] as const);
  const before = play.files();
  const resource = random.pick(resources);
  const place = placeOf(before, resource);
  const policy = policyIn(before, resource);
  // What lies behind a link is not changed through the API.
  if (place?.startsWith("volume-") === true) return;
  const now = ++generation;
  const key = `resource.${resource}.vdefault`;
  const ask = async (name: string, method: string, path: string, request: JsonObject, next: Files): Promise<void> => {
    note(`${name} ${resource} over ${protocol} at ${server.name}`);
    const done = play.becomes(next);
    const answer = await server[protocol]({
      method,
      path,
      grpc: `authz.svc.v1.AuthzAdminService/${name}`,
      request,
      authorization: stage.credentials.authorization,
    });
    done();
    counts.administered++;
    if (answer.status !== (protocol === "http" ? 200 : 0))
      play.fail(`${name} over ${protocol} failed with status ${answer.status}`, server, JSON.stringify(answer.body));
    const due = play.timeline.due();
    const found = await check(play, server, protocol);
    if (found !== undefined && due !== undefined && found !== due.answer)
      play.fail(`${name} was answered before it was in force`, server, `answer:   ${found}`, `in force: ${due.answer}`);
  };
  // JSON as it was written, of a shape that is known here.
  const json = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
  const put = (): Promise<void> => {
    const made: Policy = { kind: "policy", resource, generation: now, form: random.pick(forms), isDisabled: false };
    const next = new Map([...before, [place ?? scene.administeredPathOf(resource), administeredPiece(made)] as const]);
    return ask("AddOrUpdatePolicy", random.pick(["POST", "PUT"]), "/admin/policy", json({ policies: [policyMessage(made)] }), next);
  };
  const disableOrEnable = (isDisabled: boolean): Promise<void> => {
    if (policy === undefined || place === undefined) return put();
    const next = new Map([...before, [place, administeredPiece({ ...policy, isDisabled })] as const]);
    const name = isDisabled ? "DisablePolicy" : "EnablePolicy";
    const path = isDisabled ? "/admin/policy/disable" : "/admin/policy/enable";
    const id = random.pick([key, place]);
    return ask(name, "POST", `${path}?id=${encodeURIComponent(id)}`, { id: [id] }, next);
  };
  const remove = (): Promise<void> => {
    if (place === undefined) return put();
    const next = new Map([...before].filter(([path]) => path !== place));
    const id = random.pick([key, place]);
    return ask("DeletePolicy", "POST", `/admin/policy/delete?id=${encodeURIComponent(id)}`, { id: [id] }, next);
  };
  const putSchema = (): Promise<void> => {
    const definition = Buffer.from(JSON.stringify(schemaDefinition(now))).toString("base64");
    const next = new Map([...before, [schemaFile, administeredPiece({ kind: "schema", generation: now })] as const]);
    return ask("AddOrUpdateSchema", "POST", "/admin/schema", { schemas: [{ id: "shape.json", definition }] }, next);
  };
  await random.weigh([
    [4, put],
    [policy?.isDisabled === true ? 0 : 2, () => disableOrEnable(true)],
    [policy?.isDisabled === true ? 4 : 1, () => disableOrEnable(false)],
    [1, remove],
    [2, putSchema],
  ]);
}

/** Nothing happens for longer than a set may be stale: then everybody must have the newest. */
async function settle(play: Play): Promise<void> {
  play.note("quiet");
  await pause(play.stage.quietMilliseconds);
  const due = play.timeline.due();
  if (play.stage.quietMilliseconds < play.stage.graceMilliseconds || due === undefined) return;
  for (const server of play.inRotation()) {
    const answer = await check(play, server, "http");
    if (answer !== undefined && answer !== due.answer)
      play.fail("the newest set is not in force", server, `answer:   ${answer}`, `in force: ${due.answer}`);
  }
}

/** Everybody comes to the newest set in the end, however long it takes on this machine. */
async function end(play: Play): Promise<void> {
  const due = play.timeline.due();
  const until = performance.now() + play.stage.graceMilliseconds + 1000;
  for (const server of play.inRotation())
    for (;;) {
      const answer = await check(play, server, "http");
      if (answer === undefined || answer === due?.answer) break;
      if (performance.now() > until) return play.fail("the last set never came into force", server, `answer:   ${answer}`);
      await pause(100);
    }
}

/** Does one thing. */
async function step(play: Play): Promise<void> {
  const { random, note, scene } = play;
  const publish = async (what: string, next: Files): Promise<void> => {
    note(what);
    await play.publish(next);
  };
  const troubled = (): Promise<void> => {
    // Most pass soon; some last until somebody gives up waiting.
    const milliseconds = 100 + random.whole(random.chance(0.2) ? 5000 : 1500);
    return play.trouble(random.whole(scene.troubles.length), milliseconds, async () => {
      if (random.chance(0.5)) await play.publish(edited(play, play.files(), 1, resources.length));
    });
  };
  const burst = async (): Promise<void> => {
    const rounds = 3 + random.whole(15);
    note(`a burst of ${rounds}`);
    for (let round = 0; round < rounds; round++) {
      await play.publish(edited(play, play.files(), 1, 4));
      await pause(random.whole(30));
    }
  };
  const restart = async (): Promise<void> => {
    const how = random.chance(0.75) ? ("SIGTERM" as const) : ("SIGKILL" as const);
    note(`restarts the other server (${how})`);
    const replaced = play.replace(how);
    if (random.chance(0.5)) await play.publish(edited(play, play.files(), 1, resources.length));
    await replaced;
    note("restarted");
  };
  await random.weigh([
    [8, () => publish("edits", edited(play, play.files(), 1, 3))],
    [6, () => publish("rewrites everything", edited(play, play.files(), resources.length, resources.length))],
    [2, () => publish("removes", without(play, play.files()))],
    [3, () => publish("moves", moved(play, play.files()))],
    [3, () => breakFor(play, 50 + random.whole(2000))],
    [3, troubled],
    [2, burst],
    [1, restart],
    [scene.isAdministered ? 6 : 0, () => administer(play)],
    [1, () => settle(play)],
  ]);
}

/** Goes on until the run is over, and leaves the store whole. */
export async function disturb(play: Play): Promise<void> {
  while (!play.stage.isOver()) {
    await step(play);
    await pause(play.random.whole(play.random.chance(0.3) ? 1500 : 300));
  }
  play.note("the last change");
  await play.publish(edited(play, play.files(), resources.length, resources.length));
  await end(play);
}
