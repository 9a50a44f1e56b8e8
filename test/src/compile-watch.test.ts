/** `authz compile --watch` as a process: it says what is wrong after every change, and nothing that happens to its folder ends it. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { temporaryFolder } from "../server/harness.ts";
import { main } from "../server/process.ts";

const policy = (actions: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules: [{ actions: [${actions}], effect: EFFECT_ALLOW, roles: [user] }]
`;
const suite = (principals: string): string => `name: albums
${principals}
resources: { mine: { kind: album, id: "1" } }
tests:
  - name: view
    input: { principals: [ann], resources: [mine], actions: [view] }
    expected: [{ principal: ann, resource: mine, actions: { view: EFFECT_ALLOW } }]
`;

interface Watch {
  readonly process: ChildProcess;
  /** All that was printed so far. */
  readonly said: () => string;
  /** Returns what it prints until it waits again. */
  readonly waits: () => Promise<string>;
  readonly ended: Promise<number | null>;
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const process of running.splice(0)) process.kill("SIGKILL");
});

function watch(folder: string, ...argv: readonly string[]): Watch {
  const child = spawn(process.execPath, [main, "compile", folder, "--watch", ...argv], { stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  let text = "";
  let read = 0;
  let wake: () => void = () => undefined;
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      wake();
    });
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  void ended.then(() => wake());
  return {
    process: child,
    said: () => text,
    waits: async () => {
      for (;;) {
        const end = text.indexOf("Ctrl-C ends\n", read);
        // The two streams come by roads of their own: what was said before the last line may still be on its way.
        if (end !== -1) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          const from = read;
          read = text.length;
          return text.slice(from);
        }
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${text}`);
        await new Promise<void>((resolve) => void (wake = resolve));
      }
    },
    ended,
  };
}

/** Waits for a run that says this; others may come before it, for one change can be several. */
async function until(watching: Watch, says: RegExp): Promise<string> {
  for (;;) {
    const text = await watching.waits();
    if (says.test(text)) return text;
  }
}

test("policies, suites, fixtures and schemas: each change is one more run", async () => {
  const folder = temporaryFolder({ "policies/album.yaml": policy("view"), "policies/album_test.yaml": suite("") });
  const policies = join(folder, "policies");
  const write = (path: string, text: string): void => writeFileSync(join(policies, path), text);
  try {
    const watching = watch(policies);
    const first = await until(watching, /ann/);
    expect(first).toContain(`waiting for changes in \`${policies}\`; Ctrl-C ends\n`);
    expect(first).not.toContain("\u001B");

    mkdirSync(join(policies, "testdata"));
    write("testdata/principals.yaml", "principals: { ann: { id: ann, roles: [user] } }\n");
    await until(watching, /1 tests? executed \[1 OK\]/);

    write("album.yaml", policy("edit"));
    await until(watching, /FAILED/);

    write("album.yaml", "resourcePolicy: [");
    await until(watching, /error .*\n[^]*1 error in 1 policy file/);

    write("album.yaml", policy("view").replace("  rules", '  schemas: { resourceSchema: { ref: "authz:///album.json" } }\n  rules'));
    await until(watching, /there is no file `_schemas\/album\.json`/);

    mkdirSync(join(policies, "_schemas"));
    write("_schemas/album.json", '{"type": "object"}');
    await until(watching, /1 OK/);

    watching.process.kill("SIGINT");
    expect(await watching.ended).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a folder that vanishes is waited for, and ends with the code of the last run", async () => {
  const folder = temporaryFolder({ "policies/album.yaml": policy("view") });
  const policies = join(folder, "policies");
  try {
    const watching = watch(policies);
    await until(watching, /1 policy file, no errors/);
    renameSync(policies, join(folder, "away"));
    await until(watching, /does not exist/);
    renameSync(join(folder, "away"), policies);
    await until(watching, /1 policy file, no errors/);
    writeFileSync(join(policies, "other.yaml"), "resourcePolicy: [");
    await until(watching, /1 error in 2 policy files/);
    watching.process.kill("SIGTERM");
    expect(await watching.ended).toBe(3);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("many changes at once are few runs, and what is neither policy nor test is none", async () => {
  const folder = temporaryFolder({ "album.yaml": policy("view") });
  try {
    const watching = watch(folder);
    await until(watching, /1 policy file, no errors/);
    for (let number = 0; number < 100; number++)
      writeFileSync(join(folder, `album${number}.yaml`), policy("view").replace("resource: album", `resource: album${number}`));
    await until(watching, /101 policy files, no errors/);
    const runs = watching.said().split("Ctrl-C ends").length - 1;
    expect(runs).toBeLessThan(10);
    writeFileSync(join(folder, "report.xml"), "<a/>");
    writeFileSync(join(folder, ".hidden.yaml"), "a: b");
    writeFileSync(join(folder, "last.yaml"), policy("view").replace("album", "last"));
    await until(watching, /102 policy files/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ["a filter", ["--test-filter", "nonsense"], "the test filter `nonsense` names `nonsense`"],
  ["a pattern", ["--run", "["], "--run is not a regular expression"],
])("what no change of a file would mend is said once, and nothing is watched: %s", async (_sentence, argv, says) => {
  const folder = temporaryFolder({ "album.yaml": policy("view") });
  try {
    const watching = watch(folder, ...argv);
    expect(await watching.ended).toBe(1);
    expect(watching.said()).toContain(says);
    expect(watching.said()).not.toContain("Ctrl-C");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
