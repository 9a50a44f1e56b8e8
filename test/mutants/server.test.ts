/** A running server whose bundle is replaced by mutants, again and again, while a client checks without pause. */
import { createPrivateKey } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signBundle } from "../../src/bundle/sign.ts";
import { openRandom } from "../agree/random.ts";
import { makeKeys } from "../bundle/server.ts";
import { eventually, startServer, temporaryFolder, type TestServer } from "../server/harness.ts";
import { makeBases, type Base } from "./bases.ts";
import { damages } from "./bytes.ts";

const [base, other] = makeBases(1, { random: 0, golden: /^(?:worked-example|glob-dialect)/ });
if (base === undefined || other === undefined) throw new Error("there are no bases");
const keys = makeKeys();
const signed = (bytes: Uint8Array): Buffer => Buffer.from(signBundle(bytes, createPrivateKey(keys.privateKey)));
const [original, stranger] = [signed(base.bytes), signed(other.bytes)];

const settingsFor = (file: string, trust: "signed" | "unsigned"): { readonly [key: string]: string | boolean } => ({
  "storage.driver": "bundle",
  "storage.bundle.path": file,
  "storage.bundle.updatePollInterval": "100ms",
  "server.logLevel": "warn",
  ...(trust === "signed" ? { "storage.bundle.publicKeys": keys.publicKeyFile } : { "storage.bundle.allowUnsigned": true }),
});

/** What is asked, over and over: a question of the honest bundle that is asked with default settings. */
const bodiesOf = ({ questions }: Base): readonly string[] => questions.flatMap(({ bodies }) => bodies).slice(0, 3);
const answerOf = async (server: TestServer, body: string): Promise<string> => {
  const { status, json, text } = await server.post("/api/check/resources", body);
  return status === 200 ? JSON.stringify(json.results) : `${status} ${text}`;
};

test.each(["signed", "unsigned"] as const)("decides as ever and fails no request (%s)", { timeout: 120_000 }, async (trust) => {
  const file = join(temporaryFolder({}), "bundle.mjs");
  writeFileSync(file, original);
  const server = await startServer({ policies: {}, settings: settingsFor(file, trust) });
  const wanted = new Map<string, string>();
  for (const body of bodiesOf(base)) wanted.set(body, await answerOf(server, body));
  expect([...wanted.values()].every((answer) => answer.includes("EFFECT_"))).toBe(true);

  const client = { stops: false };
  let asked = 0;
  const others: string[] = [];
  const ask = async (): Promise<void> => {
    while (!client.stops)
      for (const [body, answer] of wanted) {
        const got = await answerOf(server, body);
        asked++;
        if (got !== answer) others.push(got);
      }
  };
  const asking = ask();
  const random = openRandom(trust === "signed" ? 1 : 2);
  const kinds = damages.map(([, weight, damage]) => [weight, () => damage] as const);
  const messages = (): readonly string[] => server.logged().map(({ message }) => String(message));
  try {
    for (let mutant = 0; mutant < 150; mutant++) {
      const made = random.weigh(kinds)(random, original, stranger);
      const bytes = Buffer.compare(made, stranger) === 0 ? original : made;
      // In place or by name, as those who publish do.
      const isRenamed = random.chance(0.5);
      writeFileSync(isRenamed ? `${file}.new` : file, bytes);
      if (isRenamed) renameSync(`${file}.new`, file);
      await new Promise((resolve) => setTimeout(resolve, 12));
    }
    await eventually(messages, (lines) => lines.some((line) => line.includes("the last good set keeps answering")));
    // It has not stopped looking: the next good one is taken.
    writeFileSync(file, stranger);
    client.stops = true;
    await asking;
    await eventually(
      async () => (await Promise.all(bodiesOf(base).map((body) => answerOf(server, body)))).join(),
      (answers) => answers !== [...wanted.values()].join(),
    );
  } finally {
    client.stops = true;
    await asking;
    await server.stop();
  }
  expect(others).toEqual([]);
  expect(asked).toBeGreaterThan(100);
});
