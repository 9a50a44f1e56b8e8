/** The log: names of the Elastic Common Schema, levels, no secrets. */
import { execFile } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, read, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { scanJson } from "../../runtime/wire/scan.ts";
import { openConditionErrors } from "../../src/observe/condition-errors.ts";
import { openLineSink, type LineSink } from "../../src/observe/line-sink.ts";
import { decideLevel, logOf, logTo, openLogTo, type LevelledLog, type Log } from "../../src/observe/log.ts";
import { openTemporaryDebug } from "../../src/observe/temporary-level.ts";
import { maskTokens, redact } from "../../src/server/calls/redact.ts";

function lines(level: "debug" | "info" | "error", write: (log: ReturnType<typeof logTo>) => void): readonly Record<string, unknown>[] {
  const written: string[] = [];
  write(logOf(logTo({ write: (line) => void written.push(line) }, level), "authz.test"));
  return written.map((line) => JSON.parse(line));
}

describe("a line", () => {
  test("has the names of ECS", () => {
    const [line] = lines("info", (log) => log.info({ "event.duration": 5 }, "hello"));
    expect(line).toEqual({
      "ecs.version": "8.11.0",
      "log.level": "info",
      "log.logger": "authz.test",
      "@timestamp": expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      message: "hello",
      "event.duration": 5,
    });
  });

  test("says what an error is without its stack", () => {
    const [line] = lines("info", (log) => log.error({ err: new TypeError("no") }, "failed"));
    expect(line).toMatchObject({ "log.level": "error", "error.type": "TypeError", "error.message": "no", message: "failed" });
    expect(JSON.stringify(line)).not.toContain("log.test.ts");
  });

  test.each([
    ["debug", 4],
    ["info", 3],
    ["error", 1],
  ] as const)("of a lower level than %s is not written", (level, count) => {
    expect(
      lines(level, (log) => {
        log.debug("d");
        log.info("i");
        log.warn("w");
        log.error("e");
      }),
    ).toHaveLength(count);
  });
});

test.each<readonly [sentence: string, make: (log: Log) => Log, expected: object]>([
  ["a part", (log) => logOf(log, "a"), { "log.logger": "a" }],
  ["a part of a part", (log) => logOf(logOf(log, "a"), "b"), { "log.logger": "b" }],
  ["a part of a part of a part", (log) => logOf(logOf(logOf(log, "a"), "b"), "c"), { "log.logger": "c" }],
  ["a part of what has a field", (log) => logOf(log.child({ x: 1 }), "a"), { x: 1, "log.logger": "a" }],
  ["a part of a part with a field", (log) => logOf(logOf(log, "a").child({ x: 1 }), "b"), { x: 1, "log.logger": "b" }],
])("%s is named once", (_sentence, make, expected) => {
  const written: string[] = [];
  make(logTo({ write: (line) => void written.push(line) }, "info")).info("hello");
  const [line = ""] = written;
  expect(scanJson(line.trimEnd())).toBeUndefined();
  const { "ecs.version": _version, "@timestamp": _time, "log.level": _level, message: _message, ...rest } = JSON.parse(line);
  expect(rest).toEqual(expected);
});

test.each([
  ["the environment wins over all", "debug", "error", "warn", "debug"],
  ["the command line wins over the file", undefined, "error", "warn", "error"],
  ["the file decides when nobody else does", undefined, undefined, "warn", "warn"],
  ["V2 is below debug", "V2", undefined, "warn", "trace"],
  ["a word that is no level is passed over", "loud", undefined, "warn", "warn"],
] as const)("%s", (_sentence, fromEnvironment, fromCommandLine, fromFile, level) => {
  expect(decideLevel(fromEnvironment, fromCommandLine, fromFile)).toBe(level);
});

describe("a change of the level", () => {
  test("reaches every part of the program, also parts of parts and those that come later", () => {
    const written: string[] = [];
    const { log, level, setLevel } = openLogTo({ write: (line) => void written.push(line) }, "warn");
    const before = logOf(log, "before");
    const inner = before.child({ inner: true });
    const say = (): readonly string[] => {
      written.length = 0;
      const after = logOf(log, "after");
      for (const one of [log, before, inner, after]) one.debug("here");
      return written.map((line) => String(JSON.parse(line)["log.logger"]));
    };
    expect([level(), say()]).toEqual(["warn", []]);
    setLevel("debug");
    expect([level(), say()]).toEqual(["debug", ["undefined", "before", "before", "after"]]);
    setLevel("warn");
    expect([level(), say()]).toEqual(["warn", []]);
  });

  test("shows where an error of ours stands while it is debug", () => {
    const written: string[] = [];
    const { log, setLevel } = openLogTo({ write: (line) => void written.push(line) }, "info");
    log.error({ err: new Error("no") }, "failed");
    setLevel("debug");
    log.error({ err: new Error("no") }, "failed");
    expect(written.map((line) => Object.hasOwn(JSON.parse(line), "error.stack_trace"))).toEqual([false, true]);
  });
});

describe("debug lines for a while", () => {
  const opened: { close: () => void }[] = [];
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
  });
  const open = (
    level: "trace" | "debug" | "warn",
    duration?: string,
  ): { log: LevelledLog; begin: () => void; said: () => readonly string[] } => {
    const written: string[] = [];
    const log = openLogTo({ write: (line) => void written.push(line) }, level);
    const debug = openTemporaryDebug(log, duration);
    opened.push(debug);
    return { log, begin: debug.begin, said: () => written.map((line) => String(JSON.parse(line).message)) };
  };
  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  test("end by themselves", async () => {
    const { log, begin, said } = open("warn", "50ms");
    begin();
    expect(log.level()).toBe("debug");
    await until(() => log.level() === "warn");
    expect(said()).toEqual(["the log level is debug for 50ms, then warn again", "the log level is warn again"]);
  });

  test("stay for the whole time once more at a second signal, and end at the level before the first", async () => {
    const { log, begin, said } = open("warn", "50ms");
    begin();
    begin();
    await until(() => log.level() === "warn");
    expect(said()).toEqual([
      "the log level is debug for 50ms, then warn again",
      "the log level stays debug for another 50ms from now",
      "the log level is warn again",
    ]);
  });

  test("stay for the whole time from the second signal on", async () => {
    const { log, begin } = open("warn", "400ms");
    begin();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const began = performance.now();
    begin();
    await until(() => log.level() === "warn");
    expect(performance.now() - began).toBeGreaterThan(390);
  });

  test("end at the level at which they began, whatever it was at the start", async () => {
    const { log, begin } = open("warn", "50ms");
    log.setLevel("error");
    begin();
    await until(() => log.level() !== "debug");
    expect(log.level()).toBe("error");
  });

  test.each([
    ["debug", "the log level is debug already: the signal changes nothing"],
    ["trace", "the log level is below debug already: the signal changes nothing"],
  ] as const)("are nothing new at %s", (level, sentence) => {
    const { log, begin, said } = open(level, "1h");
    begin();
    expect([log.level(), said()]).toEqual([level, [sentence]]);
  });

  test.each([["soon"], [""], ["-1s"], ["0s"], ["1000h"]])("last 10 minutes when asked for %j, with a warning", (duration) => {
    const { begin, said } = open("warn", duration);
    begin();
    expect(said()).toEqual([
      `AUTHZ_TEMP_LOG_LEVEL_DURATION must be a duration such as 10m, at most 24 days, not \`${duration}\`: it is 10m`,
      "the log level is debug for 10m, then warn again",
    ]);
  });

  test("last 10 minutes when nothing is asked for", () => {
    const { begin, said } = open("warn");
    begin();
    expect(said()).toEqual(["the log level is debug for 10m, then warn again"]);
  });
});

describe("lines to a descriptor", () => {
  const folders: string[] = [];
  const descriptors: number[] = [];
  afterEach(() => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });
  const pathOf = (name: string): string => {
    const folder = mkdtempSync(join(tmpdir(), "authz-lines-"));
    folders.push(folder);
    return join(folder, name);
  };
  const openPipe = async (): Promise<{ pipe: string; reader: number }> => {
    const pipe = pathOf("pipe");
    await new Promise((resolve) => execFile("mkfifo", [pipe], resolve));
    return { pipe, reader: openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK) };
  };
  const open = (
    path: string,
    flags: string | number,
    most?: number,
    gathers?: number,
  ): { sink: LineSink; failures: string[]; drops: number[]; pause: { failure: number; full: number } } => {
    const failures: string[] = [];
    const drops: number[] = [];
    const pause = { failure: 5, full: 5 };
    const descriptor = openSync(path, flags);
    descriptors.push(descriptor);
    const sink = openLineSink(descriptor, {
      failed: (code) => void failures.push(code),
      dropped: (lines) => void drops.push(lines),
      pause,
      ...(most !== undefined && { most }),
      gathers,
    });
    return { sink, failures, drops, pause };
  };

  test.each([undefined, 0, 20])("come out whole and in order, however many at once; they wait for others: %s", async (gathers) => {
    const file = pathOf("lines");
    const { sink } = open(file, "a", undefined, gathers);
    const lines = Array.from({ length: 5000 }, (_, index) => `${index} ${"ö".repeat(index % 100)}\n`);
    for (const [index, line] of lines.entries()) {
      sink.write(line);
      if (index % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await sink.flush(5000);
    expect(readFileSync(file, "utf8")).toBe(lines.join(""));
  });

  test("of which several come together are dropped together, and each is counted", async () => {
    const { pipe, reader } = await openPipe();
    descriptors.push(reader);
    const { sink, drops } = open(pipe, constants.O_WRONLY | constants.O_NONBLOCK, 100);
    sink.write("a\nb\n");
    sink.write("c\n".repeat(49));
    sink.write("d\n");
    await sink.flush(5000);
    expect(drops).toEqual([49]);
    const buffer = Buffer.alloc(100);
    expect(buffer.toString("utf8", 0, readSync(reader, buffer))).toBe("a\nb\nd\n");
  });

  test("to a full disk are kept within bounds; it is said once; the rest is dropped", async () => {
    const { sink, failures, drops, pause } = open("/dev/full", "w", 1000);
    for (let index = 0; index < 100; index++) {
      sink.write(`${"x".repeat(99)}\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await sink.flush(20);
    expect([failures, drops]).toEqual([["ENOSPC"], []]);
    // The sink tries for as long as the process lives: closed, its descriptor would soon be the number of somebody else's file.
    pause.failure = 2 ** 31 - 1;
    descriptors.pop();
  });

  test("to a reader who takes nothing wait within bounds, and come in order when there is room; how many were dropped is said", async () => {
    const { pipe, reader } = await openPipe();
    descriptors.push(reader);
    const { sink, drops } = open(pipe, constants.O_WRONLY | constants.O_NONBLOCK, 100_000);
    const line = (index: number): string => `${String(index).padStart(999, "0")}\n`;
    for (let index = 0; index < 1000; index++) {
      sink.write(line(index));
      if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const readSome = (): Promise<string> => {
      const buffer = Buffer.alloc(65_536);
      return new Promise((resolve) =>
        read(reader, buffer, 0, buffer.length, null, (_error, bytes) => resolve(buffer.toString("utf8", 0, bytes))),
      );
    };
    let text = "";
    const flushed = sink.flush(10_000).then(() => true);
    for (let done = false; !done;) {
      text += await readSome();
      done = await Promise.race([flushed, new Promise<boolean>((resolve) => setTimeout(resolve, 1, false))]);
    }
    text += await readSome();
    const got = text.split("\n").slice(0, -1).map(Number);
    // In order, each once; where some were dropped there is a gap.
    expect(got).toEqual([...new Set(got)].toSorted((one, other) => one - other));
    expect([got[0], got.length > 50, got.length + drops.reduce((sum, many) => sum + many, 0)]).toEqual([0, true, 1000]);
    // The pipe holds 65 of them, and the sink 100, those that it is about to write included.
    expect(got.length).toBeLessThanOrEqual(165);
  });

  test("to a reader who has gone are forgotten, and nobody waits", async () => {
    const { pipe, reader } = await openPipe();
    const { sink, failures } = open(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    closeSync(reader);
    sink.write("one\n");
    await sink.flush(10_000);
    sink.write("two\n");
    await sink.flush(10_000);
    expect(failures).toEqual(["EPIPE"]);
  });
});

const token = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl-_";

describe("a payload in the log", () => {
  test.each([
    ["keeps its words", '{"a": [1, true, null, "b\\n"]}', '{"a": [1, true, null, "b\\n"]}'],
    ["hides a token", '{"auxData":{"jwt":{"token":"abc","keySetId":"k"}}}', '{"auxData":{"jwt":{"token":"***","keySetId":"k"}}}'],
    ["hides tokens by name", '{"auxData":{"jwts":{"a":{"token":"abc"}}}}', '{"auxData":{"jwts":{"a":{"token":"***"}}}}'],
    ["knows no prototype", '{"__proto__":{"token":"abc"}}', '{"__proto__":{"token":"***"}}'],
    ["hides every one of a name that comes twice", '{"token":"a","token":"b"}', '{"token":"***","token":"***"}'],
    ["hides a name that is written otherwise", '{"\\u0074oken":"a"}', '{"\\u0074oken":"***"}'],
    [
      "hides everything below a secret's name",
      '{"password":{"a":["b",1,{"c":true}]},"d":"e"}',
      '{"password":{"a":["***","***",{"c":"***"}]},"d":"e"}',
    ],
    [
      "knows the names of secrets in every spelling",
      '{"Authorization":1,"password_hash":"a","api-key":"b","clientSecret":"c","Set-Cookie":"d"}',
      '{"Authorization":"***","password_hash":"***","api-key":"***","clientSecret":"***","Set-Cookie":"***"}',
    ],
    [
      "knows the names that end like them",
      '{"x-api-key":1,"sessionToken":"a","db.password":"b","TOKEN ":"c","credentials":{"a":"d"},"apiKeys":["e"],"to\\u200bken":"f"}',
      '{"x-api-key":"***","sessionToken":"***","db.password":"***","TOKEN ":"***","credentials":{"a":"***"},"apiKeys":["***"],"to\\u200bken":"***"}',
    ],
    ["hides credentials of a header", '{"a":"Bearer abc-def-ghi","b":"basic YTpi"}', '{"a":"Bearer ***","b":"basic ***"}'],
    ["hides them in the usual letters", '{"a":"bearer abc-def-ghi","b":"x Basic YTpi"}', '{"a":"bearer ***","b":"x Basic ***"}'],
    ["hides the shortest token that there can be", '{"a":"eyJhIjoxfQ.e30.","b":"eyJhIjox.e30."}', '{"a":"***","b":"eyJhIjox.e30."}'],
    ["hides credentials of a URL", '{"a":"see https://me:hunter2@host/x?y#z"}', '{"a":"see https://***@host/x?y#z"}'],
    [
      "shows what is no credentials",
      '{"a":"Basic credentials, a bearer of news, mail me@host, https://host/@me"}',
      '{"a":"Basic credentials, a bearer of news, mail me@host, https://host/@me"}',
    ],
    ["shows what only contains such a name", '{"tokens":3,"keySetId":"k"}', '{"tokens":3,"keySetId":"k"}'],
    ["hides what looks like a token, anywhere", `{"header":"Bearer ${token} x"}`, '{"header":"Bearer *** x"}'],
    ["hides it in names too", `{"${token}":1}`, '{"***":1}'],
    ["hides it when it is written with escapes", `{"a":"\\u0065${token.slice(1)}"}`, '{"a":"***"}'],
    ["hides it with what stands around it", `{"a":"x-${token}.more"}`, '{"a":"***"}'],
    ["hides a private key", '{"a":"-----BEGIN PRIVATE KEY-----\\nMIIE"}', '{"a":"***"}'],
    ["shows versions, hosts, scopes and numbers", '{"a":"1.2.3 api.example.com acme.hr.uk"}', '{"a":"1.2.3 api.example.com acme.hr.uk"}'],
    ["is not shown when it is no JSON", "token=abc", "(9 characters that are not JSON)"],
    ["is not shown when its words make no sentence", '{"password","hunter2"}', "(22 characters that are not JSON)"],
    ["is not shown when its names are no strings", '{password:"hunter2"}', "(20 characters that are not JSON)"],
    ["is not shown when something is missing between commas", '["hunter2",,1]', "(14 characters that are not JSON)"],
    ["is not shown when it ends too soon", '{"password":"hunter2"', "(21 characters that are not JSON)"],
    ["is not shown when there is more", '{} "hunter2"', "(12 characters that are not JSON)"],
    ["is not shown when there is nothing", "", "(0 characters that are not JSON)"],
  ])("%s", (_sentence, text, logged) => {
    expect(redact(text)).toBe(logged);
  });

  const singular = ["password", "secret", "apiKey", "accessKey", "privateKey", "secretKey", "cookie", "credential"];
  const alone = ["token", "passwd", "passwordHash", "pwd", "passphrase", "signingKey", "encryptionKey", "authorization", "bearer"];
  test.each([...singular, ...alone, ...singular.map((name) => `${name}s`)])("hides what is called %s, and nothing behind it", (name) => {
    for (const called of [name, `my-${name}`, `${"long.".repeat(50)}${name.toUpperCase()}`])
      expect(redact(JSON.stringify([{ [called]: { a: ["b", 1, { password: "c" }, "d"] }, e: 1 }, "f"]))).toBe(
        JSON.stringify([{ [called]: { a: ["***", "***", { password: "***" }, "***"] }, e: 1 }, "f"]),
      );
  });

  test("is cut before the first word that is not shown whole", () => {
    const text = `{"a":"${"x".repeat(16_000)}","b":"${"y".repeat(20_000)}"}`;
    expect(redact(text)).toBe(`{"a":"${"x".repeat(16_000)}","b":... (${text.length} characters in all)`);
    const number = `[${"1".repeat(20_000)}]`;
    expect(redact(number)).toBe(`[... (20002 characters in all)`);
  });

  test.each([
    ["nested for ever", "[".repeat(4 * 1024 * 1024)],
    ["nested objects", '{"a":'.repeat(800_000)],
    ["one string", `"${"x".repeat(4 * 1024 * 1024)}"`],
    ["one half token", `"${"eyJ".repeat(1_400_000)}"`],
    ["half a URL", `"${"://a".repeat(1_000_000)}"`],
    ["half a header", `"${"basic ".repeat(700_000)}"`],
    ["dots", `"${"eyJhbGciOiJ.".repeat(350_000)}"`],
    ["escapes", `"${"\\u0065".repeat(700_000)}"`],
    ["nothing but spaces", " ".repeat(4 * 1024 * 1024)],
    ["one name again and again", `{${'"token":1,'.repeat(400_000)}`],
  ])("may be as hostile as %s", (_sentence, text) => {
    expect(redact(text).length).toBeLessThan(40_000);
  });
});

test.each([
  ["a sentence", "no such key: x.y.z", "no such key: x.y.z"],
  ["a token in a sentence", `cannot parse '${token}'`, "cannot parse '***'"],
  ["a token whose JSON begins with white space", "ewogICJhbGciOiAiSFMyNTYiCn0.eyJzdWIiOjF9.c2ln", "***"],
  ["five parts, as of an encrypted one", "eyJlbmMiOiJBMjU2R0NNIn0.a-_b.cccc.dddd.eeee", "***"],
])("%s: what looks like a token is masked", (_sentence, text, masked) => {
  expect(maskTokens(text)).toBe(masked);
});

describe("errors of conditions", () => {
  const open = (level: "warn" | "debug" | "off", logLevel: "info" | "error" = "info") => {
    const written: string[] = [];
    let now = 0;
    const errors = openConditionErrors(level, logTo({ write: (line) => void written.push(line) }, logLevel), () => now);
    return {
      errors,
      pass: (milliseconds: number) => void (now += milliseconds),
      name: (...expressions: string[]) =>
        errors.logSample(
          JSON.stringify(expressions.map((expression) => ({ expression, message: `no such key: ${token}`, kind: `memo ${token}` }))),
          "CALL",
          1,
        ),
      said: () => written.splice(0).map((line): unknown => JSON.parse(line)),
    };
  };

  test("are a line with the expression, without what looks like a token", () => {
    const { name, said } = open("warn");
    name("R.attr.a == 1");
    expect(said()).toEqual([
      expect.objectContaining({
        "log.level": "warn",
        "log.logger": "authz.conditions",
        "authz.call_id": "CALL",
        "authz.resource_kind": "memo ***",
        "authz.expression": "R.attr.a == 1",
        "error.message": "no such key: ***",
        message: "a condition failed: no such key: ***",
      }),
    ]);
  });

  test("are one line an expression and minute", () => {
    const { name, said, pass } = open("warn");
    name("a", "b");
    name("a");
    pass(59_999);
    name("a", "c");
    expect(said()).toHaveLength(3);
    pass(1);
    name("a");
    expect(said()).toHaveLength(1);
  });

  test("are remembered for a thousand expressions, and no more", () => {
    const { name, said, pass } = open("warn");
    for (let index = 0; index < 2000; index++) name(`e${index}`);
    expect(said()).toHaveLength(1000);
    pass(60_000);
    name("e1999");
    expect(said()).toHaveLength(1);
  });

  test("are looked for in so many resources of a second", () => {
    const { errors, pass } = open("warn");
    expect(errors.shouldSample()).toBe(true);
    errors.logSample(undefined, "CALL", 60);
    expect(errors.shouldSample()).toBe(true);
    errors.logSample(undefined, "CALL", 60);
    expect(errors.shouldSample()).toBe(false);
    pass(100);
    expect(errors.shouldSample()).toBe(false);
    pass(200);
    expect(errors.shouldSample()).toBe(true);
    errors.logSample(undefined, "CALL", 10);
    expect(errors.shouldSample()).toBe(false);
  });

  test.each([
    ["when they are not to be logged", "off", "info"],
    ["when lines of their level are not written", "debug", "info"],
    ["when only errors are", "warn", "error"],
  ] as const)("are not looked for %s", (_sentence, level, logLevel) => {
    expect(open(level, logLevel).errors.shouldSample()).toBe(false);
  });
});
