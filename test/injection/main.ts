/** The long run, on as many threads as there are cores: `npm run fuzz -- injection`. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { openRealm } from "../../runtime/sandbox/realm.ts";
import { addTally, emptyTally, printSpread, printTally, run, type Tally } from "./run.ts";

interface Share {
  readonly seed: number;
  readonly strings: number;
}

if (isMainThread) await runAll();
else runShare(workerData);

async function runAll(): Promise<void> {
  const strings = Number(process.env["AUTHZ_INJECTION_STRINGS"] ?? 10_000);
  const seed = Number(process.env["AUTHZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  const threads = Math.min(availableParallelism(), 4, Math.ceil(strings / 1000));
  console.log(`AUTHZ_SEED=${seed}, ${threads} threads with seeds from there on`);
  const began = performance.now();
  let told = began;
  const latest = new Map<number, Tally>();
  const all = (): Tally => [...latest.values()].reduce(addTally, emptyTally());
  const shares = Array.from({ length: threads }, (_, index): Share => ({ seed: seed + index, strings: Math.ceil(strings / threads) }));
  await Promise.all(
    shares.map(
      (share, index) =>
        new Promise<void>((resolve, reject) => {
          new Worker(fileURLToPath(import.meta.url), { workerData: share })
            .on("message", (tally: Tally) => {
              latest.set(index, tally);
              if (performance.now() - told < 20_000) return;
              told = performance.now();
              console.log(printTally(all()));
            })
            .on("error", reject)
            .on("exit", () => resolve());
        }),
    ),
  );
  const seconds = (performance.now() - began) / 1000;
  console.log(`${printTally(all())} in ${seconds.toFixed(0)} s\n${printSpread(all())}`);
}

function runShare({ seed, strings }: Share): void {
  const realm = openRealm({
    guest: readFileSync(new URL("guest.js", import.meta.url), "utf8"),
    lockdown: readFileSync(createRequire(import.meta.url).resolve("ses"), "utf8"),
  });
  const post = (tally: Tally): void => parentPort?.postMessage(tally);
  post(run({ seed, strings, realm, onProgress: post }));
}
