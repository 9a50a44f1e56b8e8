/** Which worker is given what, and when: step by step, with everything that follows from a step. */
import { describe, expect, test } from "vitest";
import { refusal } from "../../src/refusal.ts";
import { openDistribution, type Distribution } from "../../src/workers/distribution.ts";
import type { WorkerProcess } from "../../src/workers/worker-process.ts";

/** One that was given something and has not answered yet. */
interface Open {
  readonly text: string;
  readonly take: () => void;
  readonly refuse: (error: Error) => void;
}

interface Worker {
  readonly workerProcess: WorkerProcess;
  readonly open: Open[];
  readonly leave: () => void;
}

/** The workers and what is told of them, line by line. */
class Scene {
  told: string[] = [];
  readonly #workers = new Map<string, Worker>();
  readonly #distribution: Distribution = openDistribution({
    workers: () => [...this.#workers.values()].map(({ workerProcess }) => workerProcess),
    requestWholeSet: () => void this.told.push("the whole is wanted"),
    failed: (workerProcess, error) => void this.told.push(`${this.#nameOf(workerProcess)} is to be replaced: ${String(error)}`),
  });

  /** Does one step, and returns what follows from it. */
  async step(step: string): Promise<readonly string[]> {
    const [subject = "", verb = "", text] = step.split(" ");
    const worker = this.#workers.get(subject);
    const given = worker?.open.findIndex((open) => text === undefined || open.text === text) ?? -1;
    if (subject === "load") this.#tell(step, this.#distribution.load(verb, schemasOf(text), verb));
    else if (subject === "change") this.#tell(step, this.#distribution.change(verb, undefined, verb));
    else if (subject === "schemas") this.#tell(step, this.#distribution.change(verb, new Map([["a", verb]]), "1"));
    else if (verb === "comes") this.#come(subject);
    else if (verb === "joins") this.#tell(step, this.#distribution.join(this.#workerProcess(subject)));
    else if (verb === "leaves") worker?.leave();
    else {
      const [open] = worker?.open.splice(given, given < 0 ? 0 : 1) ?? [];
      if (open === undefined) throw new Error(`${step}: nobody was given that`);
      if (verb === "takes") open.take();
      else open.refuse(refusal("too much"));
    }
    await new Promise((resolve) => setImmediate(resolve));
    const { told } = this;
    this.told = [];
    return told;
  }

  #come(name: string): void {
    const open: Open[] = [];
    let gone = false;
    let end: (how: string) => void = () => undefined;
    const workerProcess: WorkerProcess = {
      number: 1,
      pid: 1,
      ask: ((kind: "set" | "change", asks: { readonly text: string }) => {
        this.told.push(`${name} is given ${kind === "set" ? "all of " : "change "}${asks.text}`);
        return new Promise<void>((take, refuse) => void open.push({ text: asks.text, take, refuse }));
      }) as WorkerProcess["ask"],
      hasExited: () => gone,
      exited: new Promise((resolve) => (end = resolve)),
      disconnect: () => undefined,
      kill: () => undefined,
    };
    const leave = (): void => {
      gone = true;
      this.#workers.delete(name);
      for (const { refuse } of open.splice(0)) refuse(refusal("it is gone"));
      end("signal SIGKILL");
    };
    this.#workers.set(name, { workerProcess, open, leave });
  }

  #workerProcess(name: string): WorkerProcess {
    const worker = this.#workers.get(name);
    if (worker === undefined) throw new Error(`there is no ${name}`);
    return worker.workerProcess;
  }

  #nameOf(wanted: WorkerProcess): string {
    return [...this.#workers].find(([, { workerProcess }]) => workerProcess === wanted)?.[0] ?? "nobody";
  }

  #tell(step: string, work: Promise<unknown> | void): void {
    void Promise.resolve(work).then(
      (result) => this.told.push(`${step}: done${result === false ? ", as before" : ""}`),
      (error) => this.told.push(`${step}: ${String(error)}`),
    );
  }
}

/** The schemas that a step says are new. */
const schemasOf = (text: string | undefined): ReadonlyMap<string, string> | undefined =>
  text === undefined ? undefined : new Map(text === "none" ? [] : [["a", text]]);

type Steps = readonly (readonly [step: string, ...follows: readonly string[]])[];

const refused = "Refusal: too much";
/** Two workers that have set 1. */
const both: Steps = [
  ["a comes"],
  ["b comes"],
  ["load 1", "a is given all of 1", "b is given all of 1"],
  ["a takes"],
  ["b takes", "load 1: done"],
];
const one: Steps = [["a comes"], ["load 1", "a is given all of 1"], ["a takes", "load 1: done"]];

const scenes: { readonly [about: string]: readonly (readonly [sentence: string, steps: Steps])[] } = {
  "a whole set": [
    ["is there when everybody has it", both],
    ["is there at once where nobody is", [["load 1", "load 1: done"]]],
    ["is given once to who has it", [...both, ["load 1", "load 1: done, as before"]]],
    [
      "is given once to who is about to have it, and both are told when it has",
      [["a comes"], ["load 1", "a is given all of 1"], ["load 1", "load 1: done, as before"], ["a takes", "load 1: done"]],
    ],
    [
      "is given to whoever has another",
      [
        ...both,
        ["load 2", "a is given all of 2", "b is given all of 2"],
        ["b takes"],
        ["load 3", "a is given all of 3", "b is given all of 3"],
        ["a takes 3"],
        ["a takes 2", "load 2: done"],
        ["b takes 3", "load 3: done"],
        ["load 3", "load 3: done, as before"],
      ],
    ],
    [
      "that one cannot take in is in force for the others, and that one is to be replaced",
      [
        ...both,
        ["load 2", "a is given all of 2", "b is given all of 2"],
        ["b refuses"],
        ["a takes", `b is to be replaced: ${refused}`, "load 2: done"],
        ["load 2", "b is given all of 2"],
      ],
    ],
    [
      "that nobody can take in is not in force",
      [
        ...both,
        ["load 2", "a is given all of 2", "b is given all of 2"],
        ["a refuses"],
        ["b refuses", `load 2: ${refused}`],
        ["load 2", "a is given all of 2", "b is given all of 2"],
        ["a takes"],
        ["b takes", "load 2: done"],
      ],
    ],
    [
      "of the same policies with other schemas is another set",
      [
        ...one,
        ["load 1 x", "a is given all of 1"],
        ["a takes", "load 1 x: done"],
        ["load 1 x", "load 1 x: done, as before"],
        ["load 1 y", "a is given all of 1"],
        ["a takes", "load 1 y: done"],
        ["load 1 none", "a is given all of 1"],
        ["a takes", "load 1 none: done"],
        ["load 1 none", "load 1 none: done, as before"],
      ],
    ],
    [
      "that nobody can take in says nothing of a later one that everybody has",
      [
        ...one,
        ["load 2", "a is given all of 2"],
        ["load 3", "a is given all of 3"],
        ["a takes 3", "load 3: done"],
        ["a refuses 2", `load 2: ${refused}`],
        ["load 3", "load 3: done, as before"],
        ["change 4", "a is given change 4"],
      ],
    ],
    [
      "that nobody can take in, is asked for by who comes then, so that it is told as much",
      [
        ...one,
        ["load 2", "a is given all of 2"],
        ["a refuses", `load 2: ${refused}`],
        ["b comes"],
        ["b joins", "the whole is wanted"],
        ["load 2", "a is given all of 2", "b is given all of 2"],
        ["a refuses"],
        ["b refuses", `b joins: ${refused}`, `load 2: ${refused}`],
      ],
    ],
    [
      "does not wait for who leaves meanwhile",
      [["a comes"], ["b comes"], ["load 1", "a is given all of 1", "b is given all of 1"], ["a takes"], ["b leaves", "load 1: done"]],
    ],
    [
      "is there for nobody when all leave, and that is no fault of it",
      [...one, ["load 2", "a is given all of 2"], ["a leaves", "load 2: done"]],
    ],
  ],
  "a change": [
    [
      "is given to whoever has what it builds on, and is done when everybody has it",
      [...both, ["change 2", "a is given change 2", "b is given change 2"], ["b takes"], ["a takes", "change 2: done"]],
    ],
    [
      "follows a change that nobody has answered yet, and answers may come in any order",
      [
        ...one,
        ["change 2", "a is given change 2"],
        ["change 3", "a is given change 3"],
        ["a takes 3", "change 3: done"],
        ["a takes 2", "change 2: done"],
      ],
    ],
    [
      "follows a whole set that nobody has answered yet",
      [
        ["a comes"],
        ["load 1", "a is given all of 1"],
        ["change 2", "a is given change 2"],
        ["a takes 1", "load 1: done"],
        ["a takes 2", "change 2: done"],
      ],
    ],
    [
      "of schemas alone is a change too",
      [...one, ["schemas x", "a is given change x"], ["a takes", "schemas x: done"], ["load 1", "load 1: done, as before"]],
    ],
    [
      "that one cannot build on is done when that one has the whole, which the others are not given",
      [
        ...both,
        ["change 2", "a is given change 2", "b is given change 2"],
        ["a takes"],
        ["b refuses", "the whole is wanted"],
        ["load 2", "b is given all of 2"],
        ["b takes", "load 2: done, as before", "change 2: done"],
        ["change 3", "a is given change 3", "b is given change 3"],
      ],
    ],
    [
      "that one cannot build on is not done when that one cannot take the whole either",
      [
        ...both,
        ["change 2", "a is given change 2", "b is given change 2"],
        ["a takes"],
        ["b refuses", "the whole is wanted"],
        ["load 2", "b is given all of 2"],
        ["b refuses", `change 2: ${refused}`, `b is to be replaced: ${refused}`, "load 2: done, as before"],
      ],
    ],
    [
      "is not given to who waits for the whole: that one is given what is whole by then",
      [
        ...both,
        ["change 2", "a is given change 2", "b is given change 2"],
        ["b refuses", "the whole is wanted"],
        ["change 3", "a is given change 3"],
        ["load 3", "b is given all of 3"],
        ["a takes 2"],
        ["a takes 3"],
        ["b takes 3", "load 3: done, as before", "change 2: done", "change 3: done"],
      ],
    ],
    [
      "is not waited for by who leaves",
      [...both, ["change 2", "a is given change 2", "b is given change 2"], ["a takes"], ["b leaves", "change 2: done"]],
    ],
    [
      "is not waited for by who leaves while the whole is awaited",
      [
        ...both,
        ["change 2", "a is given change 2", "b is given change 2"],
        ["a takes"],
        ["b refuses", "the whole is wanted"],
        ["b leaves", "change 2: done"],
      ],
    ],
    [
      "builds on nothing where the set before it could be taken in by nobody",
      [
        ...one,
        ["load 2", "a is given all of 2"],
        ["a refuses", `load 2: ${refused}`],
        ["change 3", "the whole is wanted"],
        ["load 3", "a is given all of 3"],
        ["a takes", "load 3: done, as before", "change 3: done"],
      ],
    ],
    [
      "whose failure comes after a later whole was given does not make that one doubtful",
      [
        ...one,
        ["change 2", "a is given change 2"],
        ["load 3", "a is given all of 3"],
        ["a refuses 2", "the whole is wanted"],
        ["change 4", "a is given change 4"],
      ],
    ],
  ],
  "who comes later": [
    [
      "is given the whole, which the others are not, and has joined when it has it",
      [
        ...one,
        ["b comes"],
        ["b joins", "the whole is wanted"],
        ["load 1", "b is given all of 1"],
        ["b takes", "load 1: done, as before", "b joins: done"],
      ],
    ],
    [
      "before there is any set, waits for the first, and asks for none",
      [["a comes"], ["a joins"], ["load 1", "a is given all of 1"], ["a takes", "a joins: done", "load 1: done"]],
    ],
    [
      "is given a set once more that it was given before it began to wait",
      [
        ["a comes"],
        ["load 1", "a is given all of 1"],
        ["a joins", "the whole is wanted"],
        ["load 1", "a is given all of 1"],
        ["a takes", "load 1: done"],
        ["a takes", "load 1: done, as before", "a joins: done"],
      ],
    ],
    [
      "does not begin with the older of two sets, whichever it takes first",
      [
        ...one,
        ["b comes"],
        ["b joins", "the whole is wanted"],
        ["load 1", "b is given all of 1"],
        ["load 2", "a is given all of 2", "b is given all of 2"],
        ["b takes 1", "load 1: done, as before"],
        ["a takes 2"],
        ["b takes 2", "load 2: done", "b joins: done"],
      ],
    ],
    [
      "asks once, however many wait for it",
      [
        ...one,
        ["b comes"],
        ["b joins", "the whole is wanted"],
        ["change 2", "a is given change 2"],
        ["a takes"],
        ["load 2", "b is given all of 2"],
        ["b takes", "load 2: done, as before", "b joins: done", "change 2: done"],
      ],
    ],
    [
      "and cannot take the set that others have, has not joined",
      [
        ...one,
        ["b comes"],
        ["b joins", "the whole is wanted"],
        ["load 1", "b is given all of 1"],
        ["b refuses", `b joins: ${refused}`, `b is to be replaced: ${refused}`, "load 1: done, as before"],
      ],
    ],
    [
      "and leaves keeps nobody waiting",
      [...one, ["b comes"], ["b joins", "the whole is wanted"], ["b leaves", "b joins: done"], ["load 1", "load 1: done, as before"]],
    ],
    [
      "after one that left with the same name owes nothing to it",
      [
        ...both,
        ["change 2", "a is given change 2", "b is given change 2"],
        ["a takes"],
        ["b leaves", "change 2: done"],
        ["b comes"],
        ["b joins", "the whole is wanted"],
        ["change 3", "a is given change 3"],
        ["load 3", "b is given all of 3"],
        ["b takes", "load 3: done, as before", "b joins: done"],
        ["a takes", "change 3: done"],
      ],
    ],
  ],
};

/** What follows from a step follows in any order. */
const sorted = ([step, ...follows]: readonly string[]): readonly (string | undefined)[] => [step, ...follows.toSorted()];

describe.each(Object.entries(scenes))("%s", (_about, cases) => {
  test.each(cases)("%s", async (_sentence, steps) => {
    const scene = new Scene();
    const found: (readonly string[])[] = [];
    for (const [step] of steps) found.push([step, ...(await scene.step(step))]);
    expect(found.map(sorted)).toEqual(steps.map(sorted));
  });
});
