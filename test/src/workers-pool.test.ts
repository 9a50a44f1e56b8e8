/** Workers that are started, sent sets and replaced: what each is asked, and in which order. */
import { expect, onTestFinished, test } from "vitest";
import { logTo } from "../../src/observe/log.ts";
import { refusal } from "../../src/refusal.ts";
import type { WorkerStart } from "../../src/workers/messages.ts";
import { openWorkerPool, type WorkerPool } from "../../src/workers/worker-pool.ts";
import type { WorkerProcess } from "../../src/workers/worker-process.ts";
import { eventually } from "../server/harness.ts";

interface Scene {
  readonly pool: WorkerPool;
  readonly told: string[];
  /** What workers cannot do: `2 set 7`. */
  readonly cannot: Set<string>;
  /** The errors that were logged. */
  readonly logged: () => string;
  /** Ends the process of a worker. */
  readonly end: (number: number) => void;
}

/** Two workers that serve, and have set 1. */
async function serving(patienceMilliseconds?: number): Promise<Scene> {
  let logged = "";
  const told: string[] = [];
  const cannot = new Set<string>();
  const running = new Map<number, (how: string) => void>();
  const end = (number: number, how = "signal SIGSEGV"): void => running.get(number)?.(how);
  const start = (number: number): WorkerProcess => {
    told.push(`${number} is started`);
    let gone = false;
    const exited = new Promise<string>((resolve) =>
      running.set(number, (how) => {
        gone = true;
        resolve(how);
      }),
    );
    return {
      number,
      pid: number,
      ask: (async (name: string, asks: { readonly text?: string } | undefined) => {
        if (name === "pulse") return;
        const asked = `${number} ${name}${asks?.text === undefined ? "" : ` ${asks.text}`}`;
        told.push(asked);
        await new Promise((resolve) => setImmediate(resolve));
        if (gone) throw refusal("it is gone");
        if (cannot.has(asked)) throw refusal("too much");
        return name === "listen" ? {} : undefined;
      }) as WorkerProcess["ask"],
      hasExited: () => gone,
      exited,
      disconnect: () => undefined,
      kill: () => {
        told.push(`${number} is killed`);
        end(number, "signal SIGKILL");
      },
    };
  };
  const pool = openWorkerPool({
    count: 2,
    start,
    beginning: (number) => ({ number }) as WorkerStart,
    requestWholeSet: () => void told.push("the whole is wanted"),
    lost: ({ number }) => void told.push(`${number} is lost`),
    ended: ({ number }) => void told.push(`${number} counts no more`),
    log: logTo({ write: (line) => void (logged += line) }, "error"),
    ...(patienceMilliseconds !== undefined && { patienceMilliseconds }),
  });
  onTestFinished(pool.stopReplacing);
  await Promise.all([pool.startAll(), pool.receiver.load("1", undefined, "1")]);
  await pool.serve();
  told.length = 0;
  return { pool, told, cannot, logged: () => logged, end };
}

const until = (told: readonly string[], line: string): Promise<unknown> =>
  eventually(
    () => told,
    (lines) => lines.includes(line),
  );

test("a worker that cannot load a set that another has loaded is killed before the set is confirmed", async () => {
  const { pool, told, cannot } = await serving();
  cannot.add("2 set 2");
  await pool.receiver.load("2", undefined, "2");
  expect(told.slice(0, 3)).toEqual(["1 set 2", "2 set 2", "2 is killed"]);
});

test("who takes its place has the set in force before it listens, and changes that come meanwhile", async () => {
  const { pool, told, end } = await serving();
  end(1);
  await until(told, "the whole is wanted");
  expect(told).toEqual(["1 counts no more", "1 is lost", "1 is started", "1 begin", "the whole is wanted"]);
  told.length = 0;
  const change = Promise.resolve(pool.receiver.change("2", undefined, "2")).then(() => told.push("the change is confirmed"));
  await until(told, "2 change 2");
  await pool.receiver.load("2", undefined, "2");
  await Promise.all([change, until(told, "1 serve")]);
  expect(told.filter((line) => line.startsWith("1"))).toEqual(["1 set 2", "1 listen", "1 serve"]);
  expect(told.indexOf("the change is confirmed")).toBeGreaterThan(told.indexOf("1 set 2"));
  expect(new Set(pool.workers().map(({ number }) => number))).toEqual(new Set([1, 2]));
});

test("who takes its place and cannot load the set does not listen, and is replaced in turn", async () => {
  const { pool, told, cannot, end } = await serving();
  cannot.add("1 set 1");
  end(1);
  await until(told, "the whole is wanted");
  await pool.receiver.load("1", undefined, "1");
  await until(told, "1 is killed");
  cannot.clear();
  told.length = 0;
  await until(told, "the whole is wanted");
  await pool.receiver.load("1", undefined, "1");
  await until(told, "1 serve");
  expect(told).toEqual(["1 is started", "1 begin", "the whole is wanted", "1 set 1", "1 listen", "1 serve"]);
});

test("one that cannot begin is killed before another is started", async () => {
  const { told, cannot, end } = await serving();
  cannot.add("1 begin");
  end(1);
  await until(told, "1 is killed");
  cannot.clear();
  await until(told, "the whole is wanted");
  const first = ["1 counts no more", "1 is lost", "1 is started", "1 begin", "1 counts no more", "1 is killed"];
  expect(told).toEqual([...first, "1 is started", "1 begin", "the whole is wanted"]);
});

test("a change is confirmed without who has ended", async () => {
  const { pool, told, end } = await serving();
  pool.stopReplacing();
  end(1);
  await pool.receiver.change("2", undefined, "2");
  expect(told).toEqual(["1 change 2", "2 change 2"]);
});

test("who takes the place of another does not listen any more once the server stops", async () => {
  const { pool, told, end } = await serving();
  end(1);
  await until(told, "the whole is wanted");
  pool.stopReplacing();
  await pool.receiver.load("1", undefined, "1");
  await until(told, "1 is killed");
  const last = ["1 set 1", "1 counts no more", "1 is killed"];
  expect(told.filter((line) => line.startsWith("1"))).toEqual(["1 counts no more", "1 is lost", "1 is started", "1 begin", ...last]);
});

test("one that is not given the policies is told of, and serves when they come", async () => {
  const { pool, told, logged, end } = await serving(20);
  end(1);
  await eventually(logged, (text) => text.includes("worker 1 does not serve yet: it has waited for policies for 0.02 s"));
  expect(told).not.toContain("1 listen");
  await pool.receiver.load("2", undefined, "2");
  await until(told, "1 serve");
});

test("one that is given the policies in time is not", async () => {
  const { pool, told, logged, end } = await serving(200);
  end(1);
  await until(told, "the whole is wanted");
  await pool.receiver.load("1", undefined, "1");
  await until(told, "1 serve");
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(logged()).not.toContain("does not serve yet");
});
