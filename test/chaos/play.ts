/** One store, its servers and its clients while everything goes on: what the steps of the run are made of. */
import type { Random } from "../agree/random.ts";
import type { Answer, Question } from "../server/channels.ts";
import { answerOf, readAnswer, request, type Files } from "./policy-set.ts";
import type { Scene } from "./scene.ts";
import { startChaosServer, type ChaosServer } from "./server.ts";
import { openTimeline, type Timeline } from "./timeline.ts";

/** What is counted. */
export interface Counts {
  requests: number;
  commits: number;
  breakages: number;
  troubles: number;
  restarts: number;
  refusedStarts: number;
  administered: number;
  /** Requests that a server which had just left could not be sent, and another one was asked. */
  turnedAway: number;
}

/** What the whole run has in common. */
export interface Stage {
  readonly program: string;
  readonly credentials: { readonly settings: { readonly [key: string]: string | boolean }; readonly authorization: string };
  readonly graceMilliseconds: number;
  readonly quietMilliseconds: number;
  /** Nothing more is to happen. */
  readonly isOver: () => boolean;
  /** Nobody asks any more either. */
  readonly isDone: () => boolean;
  /** Says what is wrong: the run fails. */
  readonly violation: (text: string) => void;
}

/** A store in play. */
export interface Play {
  readonly scene: Scene;
  readonly random: Random;
  readonly stage: Stage;
  readonly timeline: Timeline;
  readonly counts: Counts;
  /** What was done, with the time: the newest last. */
  readonly steps: string[];
  readonly note: (step: string) => void;
  /** What the store holds. */
  readonly files: () => Files;
  /** Makes it hold something else. */
  readonly publish: (next: Files) => Promise<void>;
  /** Says that somebody else is making it hold this. */
  readonly becomes: (next: Files) => () => void;
  /** While a trouble lasts nobody must see what is new. */
  readonly trouble: (index: number, milliseconds: number, meanwhile: () => Promise<void>) => Promise<void>;
  /** Never restarted: what it takes up is measured. */
  readonly steady: ChaosServer;
  /** Those that are asked. */
  readonly inRotation: () => readonly ChaosServer[];
  readonly replace: (how: "SIGTERM" | "SIGKILL") => Promise<void>;
  readonly fail: (what: string, server: ChaosServer | undefined, ...more: readonly string[]) => void;
  readonly close: () => Promise<void>;
}

export const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Starts two servers on a store that holds these files. */
export async function openPlay(scene: Scene, random: Random, stage: Stage, first: Files): Promise<Play> {
  const timeline = openTimeline(stage.graceMilliseconds);
  const counts: Counts = {
    requests: 0,
    commits: 0,
    breakages: 0,
    troubles: 0,
    restarts: 0,
    refusedStarts: 0,
    administered: 0,
    turnedAway: 0,
  };
  const steps: string[] = [];
  const began = performance.now();
  const note = (step: string): void => {
    steps.push(`${((performance.now() - began) / 1000).toFixed(2)} s ${scene.name}: ${step}`);
    if (steps.length > 200) steps.shift();
  };
  let files: Files = new Map();
  let isReadable = true;
  let unreadableSince = -Infinity;
  const becomes = (next: Files): (() => void) => {
    files = next;
    return timeline.begin({ answer: answerOf(next), isReadable });
  };
  const publish = async (next: Files): Promise<void> => {
    await scene.publish(files, next, becomes);
    counts.commits++;
  };
  const fail: Play["fail"] = (what, server, ...more) =>
    stage.violation(
      [
        `${scene.name}${server === undefined ? "" : `, server ${server.name}`}: ${what}`,
        ...more,
        "--- the last steps",
        ...steps.slice(-15),
        ...(server === undefined ? [] : ["--- the end of its log", ...server.log().slice(-12)]),
      ].join("\n"),
    );

  let started = 0;
  const settings = (which: string) => ({
    ...stage.credentials.settings,
    "schema.enforcement": "warn",
    "server.shutdownTimeout": "20s",
    ...scene.settings(which),
  });
  const start = (which: string): ReturnType<typeof startChaosServer> =>
    startChaosServer({ name: `${which}${++started}`, program: stage.program, settings: settings(which) });
  const mustStart = async (which: string): Promise<ChaosServer> => {
    const server = await start(which);
    if ("failed" in server) throw new Error(`${scene.name}: the server does not start:\n${server.log.join("\n")}`);
    return server;
  };

  await publish(first);
  const [steady, other] = await Promise.all([mustStart("steady"), mustStart("other")]);
  let rotation: readonly ChaosServer[] = [steady, other];
  let replaced = other;

  const replace = async (how: "SIGTERM" | "SIGKILL"): Promise<void> => {
    const leaving = replaced;
    rotation = rotation.filter((server) => server !== leaving);
    counts.restarts++;
    // Who is killed has nothing begun: what is lost with a killed process is no fault of it.
    if (how === "SIGKILL") while (leaving.pending() > 0) await pause(5);
    const ended = leaving.signal(how).then((code) => {
      if (how === "SIGTERM" && code !== 0) fail(`it ended with ${code} when it was told to stop`, leaving);
    });
    // Two processes share a git checkout only while one drains.
    for (;;) {
      const wasDue = timeline.due();
      const server = await start("other");
      if (!("failed" in server)) {
        // Its connections are made before it is relied upon.
        await Promise.all([server.http(question), server.grpc(question)]);
        replaced = server;
        rotation = [...rotation, server];
        break;
      }
      counts.refusedStarts++;
      const wasFineThroughout = wasDue !== undefined && timeline.due()?.since === wasDue.since && unreadableSince < wasDue.since;
      if (wasFineThroughout || server.code !== 1)
        fail(`a server does not start (exit ${server.code}) although the store is fine`, undefined, ...server.log.slice(-10));
      if (stage.isOver()) break;
      await pause(300);
    }
    await ended;
  };

  return {
    scene,
    random,
    stage,
    timeline,
    counts,
    steps,
    note,
    files: () => files,
    publish,
    becomes,
    trouble: async (index, milliseconds, meanwhile) => {
      const trouble = scene.troubles[index];
      if (trouble === undefined) return;
      note(`trouble: ${trouble.name} for ${milliseconds} ms`);
      counts.troubles++;
      isReadable = false;
      timeline.begin({ answer: answerOf(files), isReadable })();
      const end = await trouble.begin(random);
      const until = performance.now() + milliseconds;
      if (trouble.isWritable) await meanwhile();
      await pause(Math.max(0, until - performance.now()));
      await end();
      unreadableSince = performance.now();
      isReadable = true;
      timeline.begin({ answer: answerOf(files), isReadable })();
      note("trouble is over");
    },
    steady,
    inRotation: () => rotation,
    replace,
    fail,
    close: async () => {
      const all = [...new Set([steady, replaced])];
      for (const server of all) {
        const code = await server.signal("SIGTERM");
        if (code !== 0) fail(`it ended with ${code} when it was told to stop`, server);
      }
      await scene.close();
    },
  };
}

const question: Question = {
  method: "POST",
  path: "/api/check/resources",
  grpc: "authz.svc.v1.AuthzService/CheckResources",
  request: request,
};

/** Asks one server once, and judges what it says; returns the answer. */
export async function check(play: Play, server: ChaosServer, protocol: "http" | "grpc"): Promise<string | undefined> {
  const { counts, timeline, fail } = play;
  const asked = performance.now();
  counts.requests++;
  /** Nobody listens where somebody has just left: the request never began, and a client of any kind asks another one. */
  const isTurnedAway = (text: string): boolean => {
    if (play.inRotation().includes(server) || !/ECONNREFUSED/.test(text)) return false;
    counts.turnedAway++;
    return true;
  };
  let reply: Answer;
  try {
    reply = await server[protocol](question);
  } catch (error) {
    if (isTurnedAway(String(error))) return undefined;
    fail(`a request over ${protocol} failed: ${String(error)}`, server);
    return undefined;
  }
  if (reply.status !== (protocol === "http" ? 200 : 0)) {
    if (isTurnedAway(JSON.stringify(reply.body))) return undefined;
    fail(`a request over ${protocol} failed with status ${reply.status}`, server, JSON.stringify(reply.body));
    return undefined;
  }
  const answer = readAnswer(reply.body);
  const fault = timeline.judge(answer, asked, performance.now(), server.name);
  if (fault !== undefined)
    fail(
      fault.kind === "stale"
        ? `an answer is of a set that was superseded ${Math.round(fault.milliseconds)} ms ago`
        : fault.kind === "mixed"
          ? "an answer mixes sets, or is of one that never was"
          : "an answer is of no set",
      server,
      `answer:  ${answer}`,
      `in force: ${timeline.due()?.answer ?? "(the store is broken or cannot be read)"}`,
    );
  return answer;
}

/** Checks without pause until nothing happens any more. */
export async function askWithoutPause(play: Play, protocol: "http" | "grpc", everyMilliseconds: number): Promise<void> {
  for (let turn = 0; !play.stage.isDone(); turn++) {
    const servers = play.inRotation();
    const server = servers[turn % servers.length];
    const began = performance.now();
    if (server !== undefined) await check(play, server, protocol);
    await pause(Math.max(1, everyMilliseconds - (performance.now() - began)));
  }
}
