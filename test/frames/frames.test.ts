/** The run over frames in short: what must hold however busy the machine is. */
import { expect, test } from "vitest";
import { run } from "./run.ts";

const major = Number(process.versions.node.split(".", 1)[0]);

test(
  "whatever is written to its ports, a server answers each request once and rightly, and nothing is left",
  { timeout: 120_000 },
  async () => {
    const told: string[] = [];
    const { conversations, ordinary, violations } = await run({
      seed: 1,
      seconds: 60,
      rounds: 1,
      conversations: 40,
      // No time is judged.
      patience: 60_000,
      node: process.execPath,
      // What Node 20 does not close takes long to be looked for, and has its own case (test/server/broken-connections.test.ts).
      traits: {
        survives: new Set(major === 22 ? [] : ["strayAnswers"]),
        closesBroken: major >= 22,
        countsFrames: major >= 24,
        breaks: major >= 22,
      },
      enough: 1,
      onViolation: (text) => void told.push(text),
    });
    expect(violations, told.join("\n")).toEqual([]);
    expect(Math.min(conversations, ordinary)).toBeGreaterThan(0);
  },
);
