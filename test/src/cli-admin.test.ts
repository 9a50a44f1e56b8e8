/** `authz admin hash-password`: where the password comes from, and what is printed. */
import { compareSync } from "bcryptjs";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { adminCommand } from "../../src/cli/admin/index.ts";
import { processTty, type StandardInput } from "../../src/cli/admin/tty.ts";
import { run, runControl } from "../../src/cli/index.ts";

interface Ended {
  readonly out: string;
  readonly err: string;
  /** What the refusal says; undefined when it went well. */
  readonly refused: string | undefined;
}

async function hash(input: StandardInput, ...more: readonly string[]): Promise<Ended> {
  let [out, err] = ["", ""];
  const line = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    terminal: false,
    environment: {},
    finish: () => undefined,
  };
  const command = adminCommand(line, { ...processTty, input });
  const refused = await command.parseAsync(["hash-password", ...more], { from: "user" }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { out, err, refused };
}

const matches = (password: string, out: string): boolean => compareSync(password, Buffer.from(out.trim(), "base64").toString());
const piped = (text: string | Uint8Array): StandardInput => Readable.from([text], { objectMode: false });

describe("from a pipe", () => {
  test.each([
    ["as it is", "pass:word", "pass:word"],
    ["but for the line feed at its end", "secret\n", "secret"],
    ["but for a line end of Windows", "secret\r\n", "secret"],
    ["with the spaces it has", " a b ", " a b "],
    ["in UTF-8", "größe", "größe"],
  ])("the password is taken %s", async (_sentence, text, password) => {
    const { out, err } = await hash(piped(text));
    expect(out).toMatch(/^[A-Za-z0-9+/]+=*\n$/);
    expect(matches(password, out)).toBe(true);
    expect(err).toBe("");
  });

  test.each([
    ["nothing", "", "a password is required"],
    ["an empty line", "\n", "a password is required"],
    ["two lines", "a\nb\n", "more than one line"],
    ["more than bcrypt looks at", "ü".repeat(37), "at most 72 bytes"],
  ])("%s is refused", async (_sentence, text, why) => {
    const { out, refused } = await hash(piped(text));
    expect(refused).toContain(why);
    expect(out).toBe("");
  });
});

/** A keyboard: what is typed, and whether a terminal would have shown it. */
function keyboard(typed: readonly string[]): StandardInput & { readonly wasShown: () => boolean } {
  let [raw, shown] = [false, false];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => void (raw = on) });
  const keys = [...typed];
  const press = (): void => {
    const key = keys.shift();
    if (key === undefined) return;
    if (!raw) shown = true;
    input.write(key);
    setImmediate(press);
  };
  setImmediate(press);
  return Object.assign(input, { wasShown: () => shown });
}

describe("from a terminal", () => {
  test("it is asked for twice, and never shown", async () => {
    const input = keyboard([..."secret", "\r", ..."secret", "\r"]);
    const { out, err } = await hash(input);
    expect(matches("secret", out)).toBe(true);
    expect(err).toBe("Password: \nOnce more: \n");
    expect(input.wasShown()).toBe(false);
  });

  test("what is typed can be mended", async () => {
    const { out } = await hash(keyboard(["x", "\u0015", ..."secrat", "\u007f", "\u007f", "e", "t", "\r", "secret\r"]));
    expect(matches("secret", out)).toBe(true);
  });

  test.each([
    ["two that differ", [..."one", "\r", ..."two", "\r"], "not the same"],
    ["Ctrl-C", [..."on", "\u0003"], "no password was given"],
  ])("%s is refused", async (_sentence, keys, why) => {
    const { out, refused } = await hash(keyboard(keys));
    expect(refused).toContain(why);
    expect(out).toBe("");
  });
});

test.each([
  ["authz admin hash-password", run, ["admin", "hash-password", "hunter2"]],
  ["authzctl hash-password", runControl, ["hash-password", "hunter2"]],
] as const)("a password on the command line of %s is refused, and not repeated", async (_command, program, argv) => {
  let said = "";
  const add = (text: string): void => void (said += text);
  expect(await program(argv, { out: add, err: add, terminal: false, environment: {} })).toBe(80);
  expect(said).toContain("\n(a password is not given as an argument, where others can read it: run the command without one)\n");
  expect(said).not.toContain("hunter2");
});

test("the command is one of the program", async () => {
  let out = "";
  await run(["admin", "--help"], { out: (text) => void (out += text), err: () => undefined, terminal: false, environment: {} });
  expect(out).toContain("hash-password");
});
