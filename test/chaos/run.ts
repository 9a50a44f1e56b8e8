/** The chaos run: stores, their servers, what happens to them, and the clients that judge every answer. */
import { hashSync } from "bcryptjs";
import { randomBytes } from "node:crypto";
import { openRandom } from "../agree/random.ts";
import { disturb, firstFiles } from "./disturb.ts";
import { measure, type Measured } from "./measure.ts";
import { askWithoutPause, openPlay, type Counts, type Play } from "./play.ts";
import { openDiskScene } from "./scene-disk.ts";
import { openGitScene } from "./scene-git.ts";
import { openSqliteScene } from "./scene-sqlite.ts";
import { ballast } from "./write-policies.ts";

/** What is run. */
export interface RunOptions {
  readonly seed: number;
  readonly seconds: number;
  /** The built program. */
  readonly program: string;
  readonly stores: readonly StoreName[];
  /** How long a superseded set may go on to be answered from. */
  readonly graceMilliseconds: number;
  /** How long nothing happens now and then, so that everybody must have the newest; longer than the grace unless said otherwise. */
  readonly quietMilliseconds?: number;
  /** How many violations end the run. */
  readonly enough: number;
  readonly onViolation: (text: string) => void;
  readonly onProgress?: (so: readonly Played[]) => void;
}

/** The stores under chaos. */
export type StoreName = "disk" | "git" | "sqlite";

/** What came of one store. */
export interface Played extends Measured {
  readonly name: string;
  readonly counts: Counts;
  /** Milliseconds from a change to the first reply that knows it, for every server. */
  readonly delays: readonly number[];
}

const scenes = {
  disk: async (random: ReturnType<typeof openRandom>) => openDiskScene(random),
  git: openGitScene,
  sqlite: async () => openSqliteScene(),
} as const;

/** Runs. */
export async function run(options: RunOptions): Promise<{ readonly played: readonly Played[]; readonly violations: readonly string[] }> {
  const { seed, seconds, program, stores, graceMilliseconds, enough } = options;
  const violations: string[] = [];
  const ends = performance.now() + seconds * 1000;
  let isDone = false;
  const password = randomBytes(12).toString("hex");
  const stage = {
    program,
    graceMilliseconds,
    quietMilliseconds: options.quietMilliseconds ?? graceMilliseconds + 500,
    credentials: {
      authorization: `Basic ${Buffer.from(`chaos:${password}`).toString("base64")}`,
      settings: {
        "server.adminAPI.enabled": true,
        "server.adminAPI.adminCredentials.username": "chaos",
        "server.adminAPI.adminCredentials.passwordHash": Buffer.from(hashSync(password, 4)).toString("base64"),
      },
    },
    isDone: () => isDone,
    isOver: () => performance.now() > ends || violations.length >= enough,
    violation: (text: string) => {
      if (violations.length >= enough) return;
      violations.push(text);
      options.onViolation(text);
    },
  };

  const plays: Play[] = [];
  const measured = new Map<Play, Measured>();
  const played = (): readonly Played[] =>
    plays.map((play) => ({
      name: play.scene.name,
      counts: play.counts,
      delays: play.timeline.delays,
      ...(measured.get(play) ?? { samples: [], final: undefined }),
    }));
  try {
    for (const [index, store] of stores.entries()) {
      const random = openRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
      const scene = await scenes[store](random);
      const first = firstFiles((resource) => scene.pathOf(resource, random), ballast);
      plays.push(await openPlay(scene, random, stage, first));
    }
    const progress = setInterval(() => options.onProgress?.(played()), 10_000);
    try {
      await Promise.all([
        Promise.all(plays.map(disturb)).finally(() => void (isDone = true)),
        ...plays.flatMap((play) => [
          askWithoutPause(play, "http", 40),
          askWithoutPause(play, "grpc", 60),
          measure(play, seconds, (so) => void measured.set(play, so)),
        ]),
      ]);
    } finally {
      clearInterval(progress);
    }
  } finally {
    for (const play of plays) await play.close();
  }
  return { played: played(), violations };
}
