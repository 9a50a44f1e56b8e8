/** The built program, whose standard output nobody reads to its end, or which takes nothing more. */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { expensePolicy } from "../server/policies.ts";
import { main } from "../server/process.ts";
import { temporaryFolder } from "../server/harness.ts";

const suite = (effect: string): string => `name: Expenses
principals: { ann: { id: ann, roles: [nobody] } }
resources: { one: { kind: expense, id: one } }
tests:
  - name: nobody approves
    input: { principals: [ann], resources: [one], actions: [approve] }
    expected: [{ principal: ann, resource: one, actions: { approve: ${effect} } }]
`;
const folder = temporaryFolder({
  "good/expense.yaml": expensePolicy,
  "good/expense_test.yaml": suite("EFFECT_DENY"),
  "failing/expense.yaml": expensePolicy,
  "failing/expense_test.yaml": suite("EFFECT_ALLOW"),
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a line of a shell, in which `authz` is the built program; the code is that of its last word. */
async function shell(line: string): Promise<{ readonly code: string; readonly err: string }> {
  const script = `authz() { "$NODE" "$MAIN" "$@"; }\n${line}`;
  const environment = { PATH: process.env["PATH"], NODE: process.execPath, MAIN: main };
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", script], { cwd: folder, env: environment });
  return { code: stdout.trim(), err: stderr };
}

describe("a reader that is gone", () => {
  test.each([
    ["leaves a success what it is", "compile good", "0"],
    ["does not turn tests that failed into a success", "compile failing", "4"],
    ["is the end of what would go on", "compile good --watch", "141"],
  ])("%s: authz %s exits with %s", async (_sentence, command, code) => {
    // It is gone before there is a program that could write.
    expect((await shell(`{ sleep 0.2; authz ${command}; } | true; echo \${PIPESTATUS[0]}`)).code).toBe(code);
  });
});

const full = "authz: error: standard output cannot be written (ENOSPC)\n";

describe("a standard output that takes nothing", () => {
  test.each([
    ["types good", "1"],
    ["schema policy", "1"],
    ["repl -e 1", "1"],
    ["version", "1"],
    ["compile good --test-output junit", "1"],
    ["compile failing", "4"],
  ])("is told: authz %s exits with %s", async (command, code) => {
    const { code: found, err } = await shell(`authz ${command} > /dev/full; echo $?`);
    expect([found, err]).toEqual([code, expect.stringContaining(full)]);
  });

  test("is told, too, where it is a file that took a part", async () => {
    const { code, err } = await shell("(ulimit -f 1; authz schema policy > part.json); echo $?");
    expect([code, err]).toEqual(["1", expect.stringContaining(full.replace("ENOSPC", "EFBIG"))]);
  });
});
