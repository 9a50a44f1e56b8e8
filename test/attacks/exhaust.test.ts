/** Attacks that use something up: the gate refuses them; without it they end in the watchdog's process, while the server goes on answering. */
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { refusalOf } from "../../runtime/sandbox/gate/index.ts";
import { openRealm } from "../../runtime/sandbox/realm.ts";
import { attackedBy, honestBundle, memosAndEve, settings, toHonest } from "./policy-set.ts";
import { gatedTexts } from "./realms.ts";
import { exhausting } from "./tables/exhaust.ts";
import { openUngatedTrials } from "./trials.ts";

const trials = await openUngatedTrials();
const times: (readonly [milliseconds: number, it: string])[] = [];
afterAll(() => {
  trials.close();
  // `npm run fuzz -- bombs`: how long the watchdog takes is no test's business, but somebody may want to know.
  if (process.env.AUTHZ_BOMB_TIMES !== undefined) for (const [time, it] of times) console.log(`${time.toFixed(0).padStart(6)} ms  ${it}`);
});

const server = openRealm(await gatedTexts());
server.configure(settings);
server.load(JSON.stringify(honestBundle));
const usual = server.checkResources(toHonest[0], "CALL", 0);

/** Tries a program, asking the server all the while; answers why it was refused, and how often the server answered meanwhile. */
async function tryOut(program: string): Promise<{ readonly why: string; readonly answered: number; readonly wrong: number }> {
  const trial = { why: "" };
  const tried = trials.tryOut(JSON.stringify(attackedBy(program, memosAndEve))).then(
    () => void (trial.why = "it passed"),
    (error: unknown) => void (trial.why = error instanceof Error ? error.message : "something was thrown"),
  );
  // The next one's process starts beside it, unless somebody looks at the clock.
  if (process.env.AUTHZ_BOMB_TIMES === undefined) trials.prepare();
  let [answered, wrong] = [0, 0];
  while (trial.why === "") {
    if (server.checkResources(toHonest[0], "CALL", 0) === usual) answered += 1;
    else wrong += 1;
    await wait(5);
  }
  await tried;
  return { why: trial.why, answered, wrong };
}

describe("with the gate it is refused", () => {
  test.each(exhausting.map(({ it, program }) => [it, program]))("%s", (_it, program) => {
    expect(refusalOf(program)).toMatch(/^line \d+, column \d+: ./);
  });
});

describe("without the gate it ends in the watchdog's process", () => {
  test("an honest set passes", async () => {
    await expect(trials.tryOut(JSON.stringify(honestBundle))).resolves.toBeUndefined();
    trials.prepare();
  });

  test.each(exhausting.map(({ it, program, ends }) => [it, program, ends] as const))("%s", async (it, program, ends) => {
    if (process.env.AUTHZ_BOMB_TIMES !== undefined) await wait(700); // its process is there by then, as a server's is
    const began = performance.now();
    const { why, answered, wrong } = await tryOut(program);
    times.push([performance.now() - began, it]);
    trials.prepare();
    expect(why).toMatch(/^it did not pass its trial: /);
    expect(why).toMatch(ends);
    expect(answered).toBeGreaterThan(0);
    expect(wrong).toBe(0);
  });
});
