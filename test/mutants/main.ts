/** The long run, watched from outside: `npm run fuzz -- mutants`. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { openRealm } from "../../runtime/sandbox/realm.ts";
import { makeBases } from "./bases.ts";
import { addTallies, printTally, run, type Tally } from "./run.ts";

interface Share {
  readonly seed: number;
  readonly damaged: number;
  readonly remade: number;
}

/** Longer than any mutant takes, by far. */
const patience = 60_000;

if (isMainThread) await runAll();
else runShare(workerData);

async function runAll(): Promise<void> {
  const damaged = Number(process.env["AUTHZ_MUTANTS"] ?? 10_000);
  const remade = Number(process.env["AUTHZ_MUTANTS_REMADE"] ?? damaged / 5);
  const seed = Number(process.env["AUTHZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  const threads = Math.min(availableParallelism(), 4);
  console.log(`AUTHZ_SEED=${seed}, ${threads} threads with seeds from there on`);
  const began = performance.now();
  const latest = new Map<number, Tally>();
  const share = { damaged: Math.ceil(damaged / threads), remade: Math.ceil(remade / threads) };
  await Promise.all(
    Array.from({ length: threads }, (_, index) => watched({ ...share, seed: seed + index }, (tally) => void latest.set(index, tally))),
  );
  console.log(printTally([...latest.values()].reduce(addTallies, new Map())));
  console.log(
    `${share.damaged * threads} damaged and ${share.remade * threads} remade in ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
}

/** Runs one thread; one that says nothing for long has met a mutant that hangs it. */
function watched(share: Share, told: (tally: Tally) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: share });
    let last = "the honest bundles";
    const hangs = (): void => {
      void worker.terminate();
      reject(new Error(`it hangs: ${last}`));
    };
    let timer = setTimeout(hangs, 5 * patience);
    worker
      .on("message", (message: string | Tally) => {
        clearTimeout(timer);
        timer = setTimeout(hangs, patience);
        if (typeof message === "string") last = message;
        else told(message);
      })
      .on("error", reject)
      .on("exit", () => {
        clearTimeout(timer);
        resolve();
      });
  });
}

function runShare({ seed, damaged, remade }: Share): void {
  const realm = openRealm({
    guest: readFileSync(new URL("../guest.js", import.meta.url), "utf8"),
    lockdown: readFileSync(createRequire(import.meta.url).resolve("ses"), "utf8"),
  });
  const bases = makeBases(seed, { random: 40 });
  const post = (message: string | Tally): void => parentPort?.postMessage(message);
  post(run({ seed, damaged, remade, bases, realm, at: post }));
}
