/** `authzctl audit` and `decisions`: entries of a real audit log, printed, and walked through at a terminal. */
import { PassThrough } from "node:stream";
import { join } from "node:path";
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRequestJson } from "../../src/repl/request.ts";
import { eventually, temporaryFolder } from "../server/harness.ts";
import { administrator, ctl, policyAbout, startAdministered, type AdministeredServer } from "./ctl-harness.ts";

const folder = temporaryFolder({});
let server: AdministeredServer;
const evil = "eve\u001b[2J\u202e";

const check = (id: string, kind: string, resource: string, actions: readonly string[]) =>
  server.post("/api/check/resources", {
    requestId: `of ${id}`,
    principal: { id, roles: ["user"], attr: { note: evil } },
    resources: [{ actions, resource: { kind, id: resource } }],
  });
const lines = (text: string): readonly string[] => (text === "" ? [] : text.trimEnd().split("\n"));

beforeAll(async () => {
  server = await startAdministered({
    policies: { "album.yaml": policyAbout("album"), "photo.yaml": policyAbout("photo") },
    settings: {
      "storage.driver": "disk",
      "audit.enabled": true,
      "audit.backend": "local",
      "audit.local.storagePath": join(folder, "audit"),
      "audit.local.advanced.flushInterval": "1s",
    },
  });
  await check("ann", "album", "a1", ["view", "edit"]);
  await check("bob", "photo", "p1", ["view"]);
  await check(evil, "album", "a2", ["view"]);
  await eventually(
    () => server.ctl(["audit", "--kind=decision", "--tail=10", "--raw"]),
    ({ out }) => lines(out).length === 3,
  );
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const entries = async (...argv: readonly string[]): Promise<readonly { readonly callId: string; readonly [field: string]: unknown }[]> => {
  const { code, out, err } = await server.ctl(["audit", "--raw", ...argv]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).not.toMatch(/[\u001b\u202e]/);
  return lines(out).map((line) => JSON.parse(line));
};
const whoIn = async (...argv: readonly string[]): Promise<readonly unknown[]> =>
  (await entries("--kind=decision", ...argv)).map((entry) => JSON.parse(JSON.stringify(entry)).checkResources.inputs[0].principal.id);

describe("audit", () => {
  test("prints decisions as the console takes them for a request", async () => {
    const [newest] = await entries("--kind=decision", "--tail=1");
    expect(readRequestJson(JSON.parse(JSON.stringify(newest)))).toMatchObject({
      request: { principal: { id: evil }, resources: [{ resource: { id: "a2" }, actions: ["view"] }] },
      now: { seconds: expect.any(Number) },
      notes: [],
    });
  });

  test("prints a line of JSON for every entry that is asked for", async () => {
    expect(await whoIn("--tail=2")).toEqual([evil, "bob"]);
    expect(await whoIn()).toEqual([evil, "bob", "ann"]);
    expect(await whoIn("--tail=0")).toEqual([evil, "bob", "ann"]);
    expect(await whoIn("--since=1h")).toEqual(["ann", "bob", evil]);
    const [newest, , oldest] = await entries("--kind=decision");
    expect(await whoIn(`--lookup=${oldest?.callId}`)).toEqual(["ann"]);
    const [from, to] = [String(oldest?.["timestamp"]), String(newest?.["timestamp"])];
    const second = (text: string, by: number): string => new Date(Date.parse(text) + by).toISOString();
    expect(await whoIn(`--between=${second(from, -5)}`)).toEqual(["ann", "bob", evil]);
    expect(await whoIn(`--between=${second(from, -60_000)},${second(from, -50_000)}`)).toEqual([]);
    expect(await whoIn(`--between=${second(to, 1)}`)).toEqual([]);
  });

  test("lists calls of every kind unless decisions are asked for", async () => {
    const calls = await entries("--tail=1000");
    const methods = new Set(calls.map(({ method }) => method));
    expect(methods).toContain("/authz.svc.v1.AuthzService/CheckResources");
  });

  test("prints entries over several lines, each under its call id", async () => {
    const { code, out } = await server.ctl(["audit", "--kind", "decision", "--tail", "1"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^[0-9A-Z]{26} \u2508+\n\{\n {2}"callId": "/);
    expect(JSON.parse(out.replace(/^.*\n/, "")).checkResources.inputs[0].principal.id).toBe(evil);
    expect(out).not.toMatch(/[\u001b\u202e]/);
    const coloured = await server.ctl(["audit", "--kind", "decision", "--tail", "1"], { terminal: true });
    expect(coloured.out.replaceAll(/\u001b\[\d+m/g, "")).toBe(out);
    expect((await server.ctl(["audit", "--kind", "decision", "--tail", "1"], { terminal: true, environment: { NO_COLOR: "1" } })).out).toBe(
      out,
    );
  });

  test.each([
    ["--lookup=nonsense", "  lookup: a call id has 26 characters"],
    ["--between=2999-01-01T00:00:00Z,2999-01-02T00:00:00Z", "  between.start: a range must lie in the past"],
  ])("%s is refused, and says why", async (option, why) => {
    const { code, out, err } = await server.ctl(["audit", option]);
    expect([code, out, err]).toEqual([1, "", expect.stringContaining(why)]);
  });

  test("a server without an audit log says so", async () => {
    const silent = await startAdministered();
    try {
      const { code, err } = await silent.ctl(["audit"]);
      expect([code, err]).toEqual([1, "authzctl: error: audit logs are not enabled (setting audit.enabled)\n"]);
    } finally {
      await silent.stop();
    }
  });
});

describe("decisions", () => {
  test("are a table where there is no terminal, newest first", async () => {
    const { code, out, err } = await server.ctl(["decisions"]);
    expect([code, err]).toEqual([0, ""]);
    const rows = lines(out).map((line) => line.split("\t").map((cell) => cell.trim()));
    expect(rows.map((row) => row.slice(2))).toEqual([
      ["PRINCIPAL", "KIND", "RESOURCE", "ACTION", "EFFECT", "POLICY"],
      ["eve\\u001b[2J\\u202e", "album", "a2", "view", "ALLOW", "resource.album.vdefault"],
      ["bob", "photo", "p1", "view", "ALLOW", "resource.photo.vdefault"],
      ["ann", "album", "a1", "view", "ALLOW", "resource.album.vdefault"],
      ["ann", "album", "a1", "edit", "DENY", expect.any(String)],
    ]);
  });
});

interface Keyboard {
  /** The screen after each key, from the first. */
  readonly screens: readonly (readonly string[])[];
  readonly code: number;
  /** All that was written. */
  readonly written: string;
  /** Was the terminal left as it was found? */
  readonly isRaw: boolean;
}

/** Types keys, each once the one before has been answered. */
async function type(
  keys: readonly (string | ((written: () => string) => Promise<unknown>))[],
  environment: Readonly<Record<string, string>> = { NO_COLOR: "1" },
): Promise<Keyboard> {
  let [isRaw, written] = [false, ""];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => void (isRaw = on) });
  const screens: (readonly string[])[] = [];
  const running = ctl(["decisions", `--server=${server.grpc}`, "--plaintext"], {
    environment: { ...administrator, ...environment },
    input,
    terminal: true,
    size: () => ({ columns: 100, rows: 6 }),
    written: (text) => void (written += text),
  });
  let isOver = false;
  void running.then(() => (isOver = true));
  const changed = async (before: string): Promise<void> =>
    void (await eventually(
      () => written !== before || isOver,
      (is) => is,
    ));
  await changed("");
  await eventually(
    () => written.includes("\u001b[J") || isOver,
    (is) => is,
  );
  screens.push(screenOf(written));
  for (const key of keys) {
    const before = written;
    if (typeof key === "string") input.write(key);
    else await key(() => written);
    if (typeof key === "string") await changed(before);
    screens.push(screenOf(written));
  }
  if (!isOver) input.write("\u0003");
  const { code } = await running;
  return { screens, code, written, isRaw };
}

/** What a terminal would show: each drawing begins at the top. */
function screenOf(written: string): readonly string[] {
  const drawn = written.slice(written.lastIndexOf("\u001b[H") + 3);
  return drawn.split("\r\n").map((line) =>
    line
      .replaceAll("\u001b[7m", ">")
      .replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, "")
      .trimEnd(),
  );
}

const down = "\u001b[B";
const up = "\u001b[A";
const rowsIn = (screen: readonly string[] | undefined): readonly string[] =>
  (screen ?? []).slice(1, -1).map((line) => line.replace(/^(>?)\S+ \S+ +/, "$1").replaceAll(/ +/g, " "));

describe("decisions at a terminal", () => {
  test("are shown newest first, the cursor on the first, and below what keys there are", async () => {
    const {
      screens: [screen],
      code,
      written,
      isRaw,
    } = await type([]);
    expect(screen).toHaveLength(6);
    expect(screen?.[0]).toMatch(/^TIME +PRINCIPAL +KIND +RESOURCE +ACTION +EFFECT +POLICY/);
    expect(rowsIn(screen).map((row) => row.split(" ").slice(0, 3).join(" "))).toEqual([
      ">eve\\u001b[2J\\u202e album a2",
      "bob photo p1",
      "ann album a1",
      "ann album a1",
    ]);
    expect(screen?.at(-1)).toBe("4 decisions   Enter opens   / filters   r fetches   q leaves");
    // The other screen is left, the cursor is back, and what was typed is shown again.
    expect([code, isRaw, written.endsWith("\u001b[?7h\u001b[?25h\u001b[?1049l")]).toEqual([0, false, true]);
  });

  const at = (screen: readonly string[] | undefined): number => (screen ?? []).slice(1).findIndex((line) => line.startsWith(">"));
  test.each<[keys: readonly string[], row: number]>([
    [[down], 1],
    [["j", "j"], 2],
    [[down, up], 0],
    [["k"], 0],
    [["j", "j", "k"], 1],
    [["G"], 3],
    [["G", "j"], 3],
    [["G", "g"], 0],
    [[" "], 3],
    [["\u001b[6~", "\u001b[5~"], 0],
    [["\u001b[F"], 3],
    [["\u001b[F", "\u001b[H"], 0],
  ])("after %j the cursor is on row %i", async (keys, row) => {
    const { screens } = await type(keys);
    expect(at(screens.at(-1))).toBe(row);
  });

  test("Enter opens a decision, q goes back to the list, q leaves", async () => {
    const { screens, code } = await type(["j", "\r", "j", "q", "q"]);
    expect(screens[2]?.[0]).toMatch(/^[0-9A-Z]{26} {2}\d{4}-/);
    expect(screens[2]?.[1]).toBe("{");
    expect(screens[2]?.[2]).toMatch(/^ {2}"callId": "/);
    expect(screens[3]?.[1]).toMatch(/^ {2}"callId": "/);
    expect(at(screens[4])).toBe(1);
    expect(code).toBe(0);
  });

  test("/ filters while it is typed, Esc shows all again", async () => {
    const { screens } = await type(["/", "B", "o", "b", "\r", "\u001b"]);
    expect(screens[1]?.at(-1)).toBe("/\u2588");
    expect(screens[4]?.at(-1)).toBe("/Bob\u2588");
    expect(rowsIn(screens[4])[0]).toMatch(/^>bob photo p1/);
    expect(screens[5]?.at(-1)).toMatch(/^1 of 4 decisions match `Bob` \(Esc shows all\)/);
    expect(screens[6]?.at(-1)).toMatch(/^4 decisions/);
  });

  test("a filter looks into the whole entry, and may match nothing", async () => {
    const { screens } = await type(["/of ann", "\u007f", "x\r"]);
    expect(screens[1]?.at(-1)).toBe("/of ann\u2588");
    expect(rowsIn(screens[1]).filter((row) => row !== "")).toHaveLength(2);
    expect(screens[2]?.at(-1)).toBe("/of an\u2588");
    expect(screens[3]?.[1]).toBe("No decision matches.");
  });

  test("r fetches what is new; the cursor stays on its decision", async () => {
    const seen = async (): Promise<void> => {
      await check("carl", "album", "a9", ["view"]);
      await eventually(
        () => whoIn("--tail=1"),
        ([who]) => who === "carl",
      );
    };
    // What is fetched arrives after the key is answered.
    const fetched = (written: () => string): Promise<string> => eventually(written, (text) => text.includes("5 decisions"));
    const { screens } = await type(["j", "j", seen, "r", fetched, "g"]);
    const [first] = rowsIn(screens.at(-1));
    expect(first).toMatch(/^>carl album a9 view ALLOW/);
    expect(rowsIn(screens.at(-2)).find((row) => row.startsWith(">"))).toMatch(/^>ann album a1 view/);
  });

  test("nothing of an entry reaches the terminal raw", async () => {
    const { written } = await type(["\r", "G", "q", "/", "\u202e", "\r"]);
    const ours = written.replaceAll(/\u001b\[(?:H|J|K|7m|27m|\?(?:1049|25|7)[hl])/g, "");
    expect(ours).not.toMatch(/[\u001b\u202e]/);
    expect(ours).toContain("eve\\u001b[2J\\u202e");
  });
});
