/** The run: rounds of a server each, with hostile clients and ordinary ones between them, and what is left of it in the end. */
import { hashSync } from "bcryptjs";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRandom, type Random } from "../agree/random.ts";
import { makeAuthority } from "../server/certificates.ts";
import { expensePolicy } from "../server/policies.ts";
import { http1Script } from "./http1.ts";
import { http2Script, type Traits } from "./http2.ts";
import { judgeHeld } from "./held.ts";
import { openOrdinary } from "./ordinary.ts";
import { absentKeys } from "./question.ts";
import type { Script } from "./script.ts";
import { startFramesServer, type FramesServer } from "./server.ts";
import { play, type Place } from "./wire.ts";

/** What is run. */
export interface RunOptions {
  readonly seed: number;
  /** How long rounds are begun. */
  readonly seconds: number;
  /** The round that is made first. */
  readonly first?: number;
  /** One conversation alone, by its number. */
  readonly only?: number | undefined;
  /** Rounds at most. */
  readonly rounds: number;
  /** Conversations of a round. */
  readonly conversations: number;
  /** How long an ordinary answer may take. */
  readonly patience: number;
  /** Which Node runs the server, and what is known of it. */
  readonly node: string;
  readonly traits: Traits;
  readonly enough: number;
  readonly onViolation: (text: string) => void;
  readonly onRound?: (text: string) => void;
}

/** What came of it. */
export interface Ran {
  readonly rounds: number;
  readonly conversations: number;
  readonly ordinary: number;
  readonly violations: readonly string[];
}

const lanes = 6;
const shutdownSeconds = 5;
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const mixed = (seed: number, by: number): number => Math.imul(seed, 0x9e3779b1) ^ Math.imul(by + 1, 0x85ebca6b);

/** Runs. */
export async function run(options: RunOptions): Promise<Ran> {
  const violations: string[] = [];
  const violation = (text: string): void => {
    if (violations.length >= options.enough) return;
    violations.push(text);
    options.onViolation(text);
  };
  const keys = createServer((_request, response) => {
    // Whoever needs them waits for most of the time, and is refused in the end.
    setTimeout(() => response.writeHead(500, { connection: "close" }).end(), 700);
  });
  await new Promise<void>((resolve) => keys.listen(0, "127.0.0.1", resolve));
  const address = keys.address();
  const keysAt = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
  const until = performance.now() + options.seconds * 1000;
  const counts = { rounds: 0, conversations: 0, ordinary: 0 };
  try {
    while (counts.rounds < options.rounds && performance.now() < until && violations.length < options.enough) {
      const done = await playRound(options, (options.first ?? 0) + counts.rounds, keysAt, violation);
      counts.rounds++;
      counts.conversations += done.scripts;
      counts.ordinary += done.ordinary;
    }
  } finally {
    keys.closeAllConnections();
    keys.close();
  }
  return { ...counts, violations };
}

async function playRound(
  { seed, conversations: scripts, patience, node, traits, only, onRound }: RunOptions,
  round: number,
  keysAt: string,
  violation: (text: string) => void,
): Promise<{ readonly scripts: number; readonly ordinary: number }> {
  const random = openRandom(mixed(seed, round));
  const folder = mkdtempSync(join(tmpdir(), "authz-frames-"));
  const [kind, workers, admin] = [(["tcp", "tls", "unix"] as const)[round % 3] ?? "tcp", random.pick([1, 1, 2]), random.chance(0.3)];
  const authority = kind === "tls" ? makeAuthority() : undefined;
  const where = `seed ${seed}, round ${round} (${kind}, ${workers} workers${admin ? ", administered" : ""})`;
  let server: FramesServer | undefined;
  let [played, asked] = [0, 0];
  try {
    server = await startFramesServer({
      folder,
      configuration: writeConfiguration(folder, { kind, workers, admin, keysAt, authority, random }),
      node,
    });
    const running = server;
    const place = (face: Script["face"]): Place => ({
      to: kind === "unix" ? { path: join(folder, `${face}.sock`) } : { host: "127.0.0.1", port: running.ports[face] },
      authority: authority?.certificate,
    });
    const fail = (what: string): void =>
      violation(`${where}: ${what}${running.complaints().length > 0 ? `\n--- its log\n${running.complaints().slice(-8).join("\n")}` : ""}`);
    const scriptAt = (number: number): Script => {
      const own = openRandom(mixed(mixed(seed, round), number + 1000));
      return own.chance(0.45) ? http1Script(own) : http2Script(own, traits);
    };
    const playOne = async (number: number): Promise<void> => {
      const script = scriptAt(number);
      const heard = await play(script, place(script.face));
      const fault = script.judge(heard);
      played++;
      if (fault !== undefined)
        fail(
          `conversation ${number}: ${fault}\n${script.name}\n--- sent, in ${printedSteps(script)}\n${printed(sentBy(script))}\n--- heard (${heard.ended})\n${printed(heard.bytes)}`,
        );
    };

    if (only !== undefined) {
      await playOne(only);
      await running.stop();
      for (const line of running.complaints()) fail(`it complains: ${line}`);
      return { scripts: played, ordinary: asked };
    }
    // What is made once is made before it is counted.
    for (let warm = 0; warm < 2; warm++) {
      const ordinary = openOrdinary(place, patience, random);
      for (let at = 0; at < 4; at++) for (const ask of ordinary.asks) asked += await judgedAsk(ask, fail);
      ordinary.close();
    }
    await Promise.all(Array.from({ length: lanes * 2 }, (_, at) => playOne(1_000_000 + at)));
    await pause(300);
    const before = await running.held();

    let next = 0;
    const end = { isReached: false };
    const ordinary = openOrdinary(place, patience, random);
    const asking = ordinary.asks.map(async (ask) => {
      while (!end.isReached) {
        asked += await judgedAsk(ask, fail);
        await pause(25);
      }
    });
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        while (next < scripts && !running.hasEnded()) await playOne(next++);
      }),
    );
    end.isReached = true;
    await Promise.all(asking);
    ordinary.close();
    if (running.hasEnded()) return { scripts: played, ordinary: asked };

    const left = await judgeHeld(before, running);
    if (left !== undefined) fail(left);
    // Who still talks when it is told to stop does not keep it.
    const talking = Array.from({ length: random.pick([0, 8]) }, (_, at) => scriptAt(2_000_000 + at)).map((script) =>
      play({ ...script, isDone: () => false }, place(script.face)).catch(() => undefined),
    );
    await pause(random.whole(60));
    const stopping = performance.now();
    const code = await Promise.race([running.stop(), pause((shutdownSeconds + 8) * 1000).then(() => "nothing" as const)]);
    if (code !== 0) fail(`told to stop, it ends with ${code} after ${Math.round(performance.now() - stopping)} ms`);
    await Promise.all(talking);
    for (const line of running.complaints().slice(0, 3)) fail(`it complains: ${line.slice(0, 2000)}`);
    onRound?.(
      `${where}: ${played} conversations, ${asked} ordinary checks, stopped in ${Math.round(performance.now() - stopping)} ms; ${JSON.stringify([...before.values()][0])}`,
    );
  } catch (error) {
    violation(`${where}: ${error instanceof Error ? error.stack : String(error)}\n${server?.complaints().slice(-8).join("\n")}`);
  } finally {
    if (server?.hasEnded() === false) server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
  return { scripts: played, ordinary: asked };
}

const sentBy = ({ steps }: Script): Buffer => Buffer.concat(steps.flatMap((step) => (step.kind === "send" ? [step.bytes] : [])));

/** How it was sent: packets by their lengths, and what else was done. */
const printedSteps = ({ steps }: Script): string =>
  steps
    .map((step) => (step.kind === "send" ? step.bytes.length : "milliseconds" in step ? `${step.kind} ${step.milliseconds} ms` : step.kind))
    .join(", ")
    .slice(-300);

/** The end of what went over the wire: text as it is, the rest in numbers. */
const printed = (bytes: Buffer): string =>
  bytes
    .toString("latin1", Math.max(0, bytes.length - 3000))
    .replaceAll(/[^\n -~]/g, (character) => (character === "\r" ? "" : `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`));

async function judgedAsk(ask: () => Promise<string | undefined>, fail: (what: string) => void): Promise<number> {
  const fault = await ask();
  if (fault !== undefined) fail(`an ordinary check: ${fault}`);
  return 1;
}

interface Configured {
  readonly kind: "tcp" | "tls" | "unix";
  readonly workers: number;
  readonly admin: boolean;
  readonly keysAt: string;
  readonly authority: ReturnType<typeof makeAuthority> | undefined;
  readonly random: Random;
}

function writeConfiguration(folder: string, { kind, workers, admin, keysAt, authority, random }: Configured): string {
  const policies = join(folder, "policies");
  mkdirSync(policies);
  writeFileSync(join(policies, "expense.yaml"), expensePolicy);
  const pair = authority?.issue({ names: ["localhost", "127.0.0.1"] });
  const [cert, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  if (pair !== undefined) {
    writeFileSync(cert, pair.certificate);
    writeFileSync(key, pair.key);
  }
  const address = (face: string): string => (kind === "unix" ? `unix:${join(folder, `${face}.sock`)}` : "127.0.0.1:0");
  const file = join(folder, "configuration.json");
  const limits = { readTimeout: "8s", readHeaderTimeout: "8s", writeTimeout: "8s", idleTimeout: "8s" };
  const configuration = {
    server: {
      httpListenAddr: address("http"),
      grpcListenAddr: address("grpc"),
      workers,
      logLevel: random.pick(["info", "info", "debug"]),
      shutdownTimeout: `${shutdownSeconds}s`,
      advanced: { http: limits, grpc: { connectionTimeout: "8s" } },
      ...(pair !== undefined && { tls: { cert, key } }),
      ...(admin && {
        adminAPI: {
          enabled: true,
          adminCredentials: { username: "authz", passwordHash: Buffer.from(hashSync("secret", 4)).toString("base64") },
        },
      }),
    },
    auxData: { jwt: { keySets: [{ id: absentKeys, remote: { url: keysAt, refreshInterval: "1s" } }] } },
    storage: { driver: "disk", disk: { directory: policies } },
  };
  writeFileSync(file, JSON.stringify(configuration));
  return file;
}
