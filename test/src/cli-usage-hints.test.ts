/** Options and commands that there are not: what is suggested for them, and that what is suggested exists. */
import { describe, expect, test } from "vitest";
import { run, runControl } from "../../src/cli/index.ts";
import { argumentHints, commandHints, optionHints } from "../../src/cli/usage-hints.ts";
import { settings } from "../../src/config/settings.ts";

/** Runs a command in this process; its first word is the program. */
async function told(command: string): Promise<{ readonly code: number; readonly text: string }> {
  const [program, ...argv] = command.split(" ");
  let text = "";
  const add = (more: string): void => void (text += more);
  const code = await (program === "authz" ? run : runControl)(argv, { out: add, err: add, terminal: false, environment: {} });
  return { code, text };
}

describe("a mistaken name is refused, and what is meant is said:", () => {
  test.each<[command: string, error: string, hint: string]>([
    ["authz server --port 8080", "unknown option '--port'", "write --set=server.httpListenAddr=:PORT"],
    ["authz server --port=8080", "unknown option '--port=8080'", "write --set=server.httpListenAddr=:PORT"],
    ["authz server -p 8080", "unknown option '-p'", "write --set=server.httpListenAddr=:PORT"],
    ["authz server --policies x", "unknown option '--policies'", "write --set=storage.disk.directory=DIR"],
    ["authz server --conf x", "unknown option '--conf'", "Did you mean --config?"],
    ["authz server --hub-bundle x", "unknown option '--hub-bundle'", "there is no hosted hub: write --set=storage.driver=bundle"],
    [
      "authz server policies",
      "too many arguments for 'server'. Expected 0 arguments but got 1.",
      "a folder of policies: --set=storage.disk.directory=DIR; a configuration: --config=FILE",
    ],
    ["authz run --port 1 -- x", "unknown option '--port'", "write --set=server.httpListenAddr=:PORT"],
    ["authz healthcheck --host localhost", "unknown option '--host'", "write --host-port=HOST:PORT"],
    ["authz healthcheck --cacert x", "unknown option '--cacert'", "write --ca-cert=FILE"],
    [
      "authz healthcheck localhost:3593",
      "too many arguments for 'healthcheck'. Expected 0 arguments but got 1.",
      "write --host-port=HOST:PORT",
    ],
    ["authz compile x --no-tests", "unknown option '--no-tests'", "write --skip-tests"],
    ["authz compile x --test-folder y", "unknown option '--test-folder'", "Did you mean --test-filter?"],
    ["authz build x -o z --key y", "unknown option '--key'", "write --sign=FILE"],
    ["authz start", "unknown command 'start'", "write authz server"],
    ["authz serve", "unknown command 'serve'", "write authz server"],
    ["authz test x", "unknown command 'test'", "authz compile DIR checks policies and runs their tests"],
    ["authz check x", "unknown command 'check'", "authz compile DIR checks policies and runs their tests"],
    ["authz bundle create x", "unknown command 'create'", "write authz build DIR -o FILE"],
    ["authz bundle toss", "unknown command 'toss'", "it has keygen, sign, verify, inspect and diff"],
    ["authz config show", "unknown command 'show'", "write authz config print"],
    ["authz golden run", "unknown command 'run'", "write authz golden check DIR"],
    ["authz admin ls", "unknown command 'ls'", "write authz admin get"],
    ["authzctl ls", "unknown command 'ls'", "write authzctl get"],
    ["authzctl --host x get schemas", "unknown option '--host'", "write --server=HOST:PORT"],
    ["authzctl get schemas --host x", "unknown option '--host'", "write --server=HOST:PORT"],
    ["authzctl get polices", "unknown command 'polices'", "Did you mean one of principal_policies, resource_policies or role_policies?"],
    ["authzctl get policies", "unknown command 'policies'", "Did you mean one of principal_policies, resource_policies or role_policies?"],
    ["authzctl get variables", "unknown command 'variables'", "Did you mean export_variables?"],
    [
      "authzctl get things",
      "unknown command 'things'",
      "it has derived_roles, export_constants, export_variables, principal_policies, resource_policies, role_policies and schemas",
    ],
    ["authzctl get schemsa", "unknown command 'schemsa'", "Did you mean one of schema, schemas?"],
    ["authzctl store backup x", "unknown command 'backup'", "write authzctl store export DIR"],
  ])("%s", async (command, error, hint) => {
    const [program = "", ...rest] = command.split(" ");
    const { code, text } = await told(command);
    expect(code).toBe(80);
    const [first, second, third] = text.split("\n");
    expect([first, second]).toEqual([`${program}: error: ${error}`, `(${hint})`]);
    expect(third).toMatch(new RegExp(`^\\(see ${program}[a-z ]* --help\\)$`));
    expect(rest.length).toBeGreaterThan(0);
  });
});

/** Every answer with the command that gives it. */
const answers = [optionHints, commandHints]
  .flatMap((table) => Object.entries(table))
  .concat(Object.entries(argumentHints).map(([command, answer]) => [command, { "": answer }]))
  .flatMap(([command, hints]) => [...new Set(Object.values(hints))].map((answer) => [answer, command] as const));

describe("what is suggested exists:", () => {
  test.each(answers)("%s (authz %s)", async (answer, command) => {
    const keys = [...answer.matchAll(/--set=([\w.]+)=/g)].map(([, key = ""]) => key);
    for (const key of keys) expect(Object.keys(settings)).toContain(key);
    const help = await told(`authz ${command} --help`.replace("  ", " "));
    for (const [option] of answer.matchAll(/(?<=^| )--[a-z-]+/g)) expect(help.text).toMatch(new RegExp(`^ .*${option}\\b`, "m"));
    for (const [written] of answer.matchAll(/(?<=^|write |or |`)authz(?: [a-z-]+)+/g)) {
      const named = written.replace(/ (?:checks|writes).*$/, "");
      expect((await told(`${named} --help`)).text).toMatch(new RegExp(`^Usage: ${named}(?: |\\|)`));
    }
  });
});
