/** The process in which a foreign bundle is tried: it gets its text, says before each step what comes next, and in the end what came of it. */
import { readFileSync, readSync, writeFileSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker } from "node:worker_threads";
import { openRealm, type Realm } from "../runtime/sandbox/realm.ts";
import { realmTexts } from "./artefact.ts";
import { messageOf } from "./refusal.ts";

/** Where the server listens: the pipe after those that every process has. */
const toServer = 3;

/** A pipe on which nothing ever comes: it is closed when the server, or its thread, is no more. */
const untilGone = 4;

/** A line; the words are somebody else's. */
const say = (line: string): void => void writeSync(toServer, `${line.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?").slice(0, 500)}\n`);

/** Should memory run out, the system ends this process and not the server. */
function offerItself(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Not every system can be told.
  }
}

function tryOut(realm: Realm, text: string): string {
  try {
    realm.openTrial(text);
  } catch (error) {
    return `!${messageOf(error)}`;
  }
  for (;;) {
    const said = realm.tryNext();
    if (said === "" || said.startsWith("!")) return said;
    say(said);
  }
}

function main(): void {
  offerItself();
  new Worker(fileURLToPath(import.meta.url), { name: "until the server is gone" }).unref();
  const realm = openRealm(realmTexts());
  say("ready");
  const text = readFileSync(0, "utf8");
  say("loading");
  const verdict = tryOut(realm, text);
  say(verdict === "" ? "=" : verdict);
}

/** Nobody else would end a process that is stuck, once those who look after it have ended. */
function endWithServer(): void {
  try {
    readSync(untilGone, new Uint8Array(1));
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
}

if (isMainThread) main();
else endWithServer();
