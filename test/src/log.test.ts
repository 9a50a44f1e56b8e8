/** The log: names of the Elastic Common Schema, levels, no secrets. */
import { describe, expect, test } from "vitest";
import { decideLevel, logOf, logTo } from "../../src/observe/log.ts";
import { redact } from "../../src/server/redact.ts";

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

test.each([
  ["the environment wins over all", "debug", "error", "warn", "debug"],
  ["the command line wins over the file", undefined, "error", "warn", "error"],
  ["the file decides when nobody else does", undefined, undefined, "warn", "warn"],
  ["V2 is below debug", "V2", undefined, "warn", "trace"],
  ["a word that is no level is passed over", "loud", undefined, "warn", "warn"],
] as const)("%s", (_sentence, fromEnvironment, fromCommandLine, fromFile, level) => {
  expect(decideLevel(fromEnvironment, fromCommandLine, fromFile)).toBe(level);
});

test.each([
  ['{"auxData":{"jwt":{"token":"abc","keySetId":"k"}}}', '{"auxData":{"jwt":{"token":"***","keySetId":"k"}}}'],
  ['{"auxData":{"jwts":{"a":{"token":"abc"}}}}', '{"auxData":{"jwts":{"a":{"token":"***"}}}}'],
  ['{"__proto__":{"token":"abc"}}', '{"__proto__":{"token":"***"}}'],
  ["token=abc", "(9 characters that are not JSON)"],
])("%s is logged as %s", (text, logged) => {
  expect(redact(text)).toBe(logged);
});
