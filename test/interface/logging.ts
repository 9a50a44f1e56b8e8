/** Logging behaviour: its three rules. */
import { expect } from "vitest";
import { parseLogLevel } from "../../src/config/setting-types.ts";
import { eventually, temporaryFolder } from "../server/harness.ts";
import { startProgram } from "../server/process.ts";
import { row, type Section } from "./section.ts";

const listening = "storage.disk.directory=.,server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0";

export const logging: Section = {
  heading: "Logging behaviour",
  rows: [
    row("1. Levels: DEBUG", () => {
      expect(["DEBUG", "V1", "V2", "INFO", "WARN", "ERROR", "loud"].map(parseLogLevel)).toEqual([
        "debug",
        "trace",
        "trace",
        "info",
        "warn",
        "error",
        undefined,
      ]);
    }),
    row("2. When output is a terminal, logs are coloured console text.", ({ server }) => {
      const [line] = server.logged();
      expect(line).toMatchObject({
        "log.level": "info",
        "@timestamp": expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        "log.logger": expect.stringMatching(/^authz\./),
        message: expect.any(String),
        "ecs.version": expect.any(String),
      });
      // The coloured text of a pseudo terminal: test/server, "log-process".
    }),
    row("3. Sending signal SIGUSR1", async () => {
      const run = startProgram(["server", "--set", listening], {
        cwd: temporaryFolder({ "policies/none.txt": "" }),
        environment: { AUTHZ_TEMP_LOG_LEVEL_DURATION: "1s" },
      });
      const stdout = (): string => run.output().stdout;
      await eventually(stdout, (text) => text.includes("HTTP is served"));
      run.process.kill("SIGUSR1");
      await eventually(stdout, (text) => text.includes("the log level is debug for 1s"));
      await eventually(stdout, (text) => text.includes("the log level is info again"));
      run.process.kill("SIGTERM");
      expect((await run.exited).code).toBe(0);
    }),
  ],
};
