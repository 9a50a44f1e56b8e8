/** Runs the example of docs/testing.md on the sample policies, and makes it fail as the page shows. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { withFolder } from "../testing/suites.ts";

const page = readFileSync("docs/testing.md", "utf8");
const blocks = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
const first = (language: string): string => blocks.find(([, kind]) => kind === language)?.[2] ?? "";

const compile = (text: string): Promise<string> =>
  withFolder({ "expense_test.yaml": text }, async (tests) => {
    let out = "";
    await run(["compile", "golden/tour/policies", "--tests", tests], {
      out: (written) => void (out += written),
      err: () => undefined,
      terminal: false,
      environment: {},
    });
    return out;
  });

test("its suite passes", async () => {
  expect(await compile(first("yaml"))).toContain("4 tests executed [4 OK]\n");
});

test("an amount that is too large fails as it says", async () => {
  expect(await compile(first("yaml").replace("amount: 350,", "amount: 3500,"))).toContain(first(""));
});
