/** The process that tries an untrusted bundle: it reads the bundle, reports each step before it begins, and finally the result. */
import { readFileSync, readSync, writeFileSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker } from "node:worker_threads";
import { openRealm, type Realm } from "../runtime/sandbox/realm.ts";
import { realmTexts } from "./artefact.ts";
import { messageOf } from "./refusal.ts";

/** The pipe to the server: the descriptor after the standard ones. */
const toServer = 3;

/** A pipe on which nothing is sent: it is closed when the server, or its thread, ends. */
const untilGone = 4;

/** Writes one line; control characters are replaced, because the text is untrusted. */
const say = (line: string): void => void writeSync(toServer, `${line.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?").slice(0, 500)}\n`);

/** Makes the system kill this process first when memory runs out, and not the server. */
function offerItself(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Not every system supports that.
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

/** Kills this process when the server has ended, because nobody else would end one that hangs. */
function endWithServer(): void {
  try {
    readSync(untilGone, new Uint8Array(1));
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
}

if (isMainThread) main();
else endWithServer();
