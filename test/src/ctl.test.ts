/** `authzctl` against a running server, on a database and on disk: a command, what it prints, its exit code. */
import { execFile } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../server/harness.ts";
import { administrator, ctl, everyKind, startAdministered, type AdministeredServer } from "./ctl-harness.ts";

const files = temporaryFolder({ ...everyKind, "_schemas/a.json": '{"type":"object"}', "_schemas/sub/b.json": "{}" });
afterAll(() => rmSync(files, { recursive: true, force: true }));

/** Columns are padded so that people can read them, and parted by tabs so that scripts can cut them. */
const table = (text: string): readonly string[] => text.split("\n").map((line) => line.replaceAll(/ *\t/g, "|"));

describe.each(["sqlite", "disk"] as const)("on %s", (store) => {
  let server: AdministeredServer;
  beforeAll(async () => {
    server = await startAdministered({}, store);
    expect(await server.ctl(["put", "schema", "-R", files])).toEqual({ code: 0, out: "Uploaded: 2\nIgnored: 1\n", err: "" });
    expect(await server.ctl(["put", "policy", "-R", files])).toEqual({ code: 0, out: "Uploaded: 8\nIgnored: 2\n", err: "" });
  });
  afterAll(() => server.stop());

  // On disk a policy is called by its file, which is named by its key.
  const id = (key: string): string => (store === "sqlite" ? key : `${key.replaceAll(/[^\w.-]/g, "_")}.yaml`);

  test.each<[command: string, heading: string, rows: readonly string[]]>([
    ["dr", "POLICY ID|NAME", ["derived_roles.common|common"]],
    ["derived-roles", "POLICY ID|NAME", ["derived_roles.common|common"]],
    ["ec", "POLICY ID|NAME", ["export_constants.cc|cc"]],
    ["export_variables", "POLICY ID|NAME", ["export_variables.vv|vv"]],
    ["principal_policy", "POLICY ID|NAME|VERSION|SCOPE", ["principal.daffy duck.vdefault|daffy duck|default|"]],
    ["rlp", "POLICY ID|NAME|SCOPE", ["role.clerk.vdefault/acme|clerk|acme"]],
    [
      "resource-policies",
      "POLICY ID|NAME|VERSION|SCOPE",
      ["resource.album.v2|album|2|", "resource.album.vdefault|album|default|", "resource.album.vdefault/acme|album|default|acme"],
    ],
    ["rp --no-headers --version=2,3 --name album", "", ["resource.album.v2|album|2|"]],
    ["rp --no-headers --name=other", "", []],
    ["rp --no-headers --scope-regexp=^ac", "", ["resource.album.vdefault/acme|album|default|acme"]],
    ["rp --no-headers --name-regexp a.b --version-regexp 2", "", ["resource.album.v2|album|2|"]],
    [
      "rp --no-headers --sort-by scope",
      "",
      ["resource.album.v2|album|2|", "resource.album.vdefault|album|default|", "resource.album.vdefault/acme|album|default|acme"],
    ],
  ])("get %s", async (command, heading, rows) => {
    const { code, out, err } = await server.ctl(["get", ...command.split(" ")]);
    const expected = rows.map((row) => row.replace(/^[^|]*/, id));
    const [first, ...printed] = table(out);
    const lines = heading === "" ? [first, ...printed] : printed;
    expect({ code, err, heading: heading === "" ? "" : first, rows: lines.slice(0, -1) }).toEqual({
      code: 0,
      err: "",
      heading,
      rows: expected,
    });
  });

  test.each([
    ["get s", "SCHEMA ID\na.json\nsub/b.json\n", ""],
    ["get schemas --no-headers", "a.json\nsub/b.json\n", ""],
    ["get schema sub/b.json a.json", '{}\n{"type":"object"}\n', ""],
    ["get s a.json -oprettyjson", '{\n  "type": "object"\n}\n', ""],
    ["get s a.json nosuch.json", '{"type":"object"}\n', "warning: there is no schema `nosuch.json`\n"],
    ["store reload", "Initiated a store reload\nReload request submitted\n", ""],
    ["store r --wait", "Initiated a store reload\nSuccessfully reloaded the store\n", ""],
    ["delete schema nosuch.json", "Number of schemas deleted is 0\n", ""],
    ["disable policies resource.no.vdefault", "Number of policies disabled is 0\n", ""],
  ])("%s", async (command, out, err) => {
    expect(await server.ctl(command.split(" "))).toEqual({ code: 0, out, err });
  });

  test("a policy that is named is printed whole, by its key and by its id", async () => {
    const { out } = await server.ctl(["get", "rp", "resource.album.v2", "-ojson"]);
    const { metadata, ...policy } = JSON.parse(out);
    expect(policy).toEqual(JSON.parse(everyKind["album_2.json"]));
    expect(metadata.storeIdentifier).toBe(id("resource.album.v2"));
    expect(await server.ctl(["get", "rp", id("resource.album.v2")])).toEqual({ code: 0, out, err: "" });
    expect((await server.ctl(["get", "rp", "resource.album.v2", "-oyaml"])).out).toMatch(/^---\napiVersion: api\.authz\.dev\/v1\n/);
    expect((await server.ctl(["get", "rp", "resource.album.v2", "--output=prettyjson"])).out).toMatch(/^\{\n {2}"apiVersion": /);
  });

  test("what is not there is told, and what is there is printed", async () => {
    const { code, out, err } = await server.ctl(["get", "ec", "export_constants.cc", "nosuch"]);
    expect([code, out.split("\n").length, err]).toEqual([0, 2, "warning: among the export constants there is no `nosuch`\n"]);
  });

  test("of more schemas than one request may name, those that are there are printed", async () => {
    const others = Array.from({ length: 100 }, (_none, at) => `${at}.json`);
    const { code, out, err } = await server.ctl(["get", "schemas", ...others, "a.json"]);
    expect({ code, out }).toEqual({ code: 0, out: '{"type":"object"}\n' });
    expect(err).toMatch(/^warning: there is no schema `0\.json`, .*`99\.json`\n$/);
    const none = await server.ctl(["get", "schemas", ...others, "100.json"]);
    expect({ code: none.code, out: none.out }).toEqual({ code: 1, out: "" });
    expect(none.err).toMatch(/^authzctl: error: there is no schema `0\.json`, .*`100\.json`\n$/);
  });

  test("policies are disabled and enabled", async () => {
    const ids = async (...more: readonly string[]): Promise<string> => (await server.ctl(["get", "rp", "--no-headers", ...more])).out;
    const before = await ids();
    expect(await server.ctl(["disable", "policy", "resource.album.v2"])).toEqual({
      code: 0,
      out: "Number of policies disabled is 1\n",
      err: "",
    });
    expect(await ids()).not.toContain("album\t2");
    expect(await ids("--include-disabled")).toBe(before);
    expect(await server.ctl(["enable", "p", "resource.album.v2"])).toEqual({ code: 0, out: "Number of policies enabled is 1\n", err: "" });
    expect(await ids()).toBe(before);
  });

  test.each([
    ["delete policy derived_roles.common", "resource.album.vdefault"],
    ["disable policy resource.album.vdefault", "resource.album.vdefault/acme"],
  ])("%s is refused, and says what would break", async (command, other) => {
    const { code, out, err } = await server.ctl(command.split(" "));
    expect([code, out]).toEqual([1, ""]);
    const [sentence, ...details] = err.trimEnd().split("\n");
    expect(sentence).toMatch(/^authzctl: error: the polic\w+ cannot be (deleted|disabled)/);
    expect(details.join("\n")).toContain(other);
  });

  test("inspect says what policies speak of", async () => {
    const { code, out } = await server.ctl(["inspect", "policies", "resource.album.vdefault"]);
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      `POLICY ID : ${id("resource.album.vdefault")}`,
      "ACTIONS   : edit,view",
      "ATTRIBUTES: P.attr.level,R.attr.draft",
      "CONSTANTS : k,most",
      "VARIABLES : isDraft,isLate",
      "-".repeat(80),
      "",
    ]);
    const json = (await server.ctl(["inspect", "p", "-ojson"])).out
      .trimEnd()
      .split("\n")
      .map((line): object => JSON.parse(line));
    expect(json).toHaveLength(8);
    expect((await server.ctl(["inspect", "p", "--no-headers", "export_constants.cc"])).out).toBe(
      `${id("export_constants.cc")}\nmost\n${"-".repeat(80)}\n`,
    );
  });

  test("what is exported and put elsewhere is the same set", async () => {
    const folder = join(server.folder, "exported");
    await server.ctl(["disable", "policy", "resource.album.v2"]);
    const { code, out, err } = await server.ctl(["store", "export", folder]);
    await server.ctl(["enable", "policy", "resource.album.v2"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("\u2713 _schemas/sub/b.json (schema)\n");
    expect(out).toMatch(/\nExported 8 policies and 2 schemas to .*exported\n$/);
    expect(readFileSync(join(folder, "resource.album.v2.yaml"), "utf8")).toContain("disabled: true\n");

    const other = await startAdministered();
    try {
      await other.ctl(["put", "schema", "-R", folder]);
      expect((await other.ctl(["put", "policy", "-R", folder])).out).toBe("Uploaded: 8\nIgnored: 2\n");
      await other.ctl(["enable", "policy", "resource.album.v2"]);
      expect(await everything(other)).toEqual(await everything(server));
    } finally {
      await other.stop();
    }
  });
});

/** Every policy as its author wrote it. */
async function everything(server: AdministeredServer): Promise<readonly string[]> {
  const keys = Object.entries({
    rp: ["resource.album.vdefault", "resource.album.vdefault/acme", "resource.album.v2"],
    dr: ["derived_roles.common"],
    ec: ["export_constants.cc"],
    ev: ["export_variables.vv"],
    pp: ["principal.daffy duck.vdefault"],
    rlp: ["role.clerk.vdefault/acme"],
  });
  const printed = await Promise.all(keys.map(async ([kind, ids]) => (await server.ctl(["get", kind, ...ids])).out));
  const policies = printed
    .join("")
    .trimEnd()
    .split("\n")
    .map((line): object => JSON.parse(line));
  expect(policies).toHaveLength(8);
  return policies.map((policy) => JSON.stringify({ ...policy, metadata: undefined })).toSorted();
}

describe("revisions", () => {
  test("are purged on a database, and not known on disk", async () => {
    const [database, disk] = await Promise.all([startAdministered(), startAdministered({}, "disk")]);
    try {
      for (const most of ["1", "2", "3"]) await database.ctl(["put", "policy", "-"], { input: everyKind["cc.yaml"].replace("10", most) });
      expect((await database.ctl(["store", "revisions", "purge", "--keep-last=1"])).out).toMatch(/^Number of rows affected is [1-9]\d*\n$/);
      expect(await database.ctl(["store", "revisions", "p", "--keep-last", "1"])).toEqual({
        code: 0,
        out: "Number of rows affected is 0\n",
        err: "",
      });
      const { code, err } = await disk.ctl(["store", "revisions", "purge"]);
      expect([code, err]).toEqual([1, expect.stringMatching(/^authzctl: error: .*revisions/)]);
    } finally {
      await Promise.all([database.stop(), disk.stop()]);
    }
  });
});

describe("a command line that is wrong exits with 80 before anybody is asked", () => {
  test.each([
    ["", "Usage: authzctl"],
    ["nonsense", "unknown command 'nonsense'"],
    ["get", "Usage: authzctl get"],
    ["get rp -o json", "--output prints policies: name those that you want"],
    ["get rp x -o xml", "Allowed choices are json, yaml, prettyjson"],
    ["get rp x --no-headers --name=a", "--no-headers, --name: only lists take that, and here policies are named"],
    ["get dr --version=1", "unknown option '--version=1'"],
    ["get rp --sort-by=age", "Allowed choices are policyId, name, version, scope"],
    ["put policy", "missing required argument 'paths'\n(see authzctl put policy --help)"],
    ["delete policy", "missing required argument 'ids'"],
    ["audit --kind=decisions", "Allowed choices are access, decision"],
    ["audit --tail=1 --since=1h", "--tail and --since exclude each other: choose one"],
    ["audit --tail=1001", "It must be a whole number from 1 to 1000."],
    ["audit --between=today", "It must be one timestamp such as"],
    ["audit --between=2026-02-30", "It must be one timestamp such as"],
    ["audit --between=2026-02-30T08:00:00Z", "It must be one timestamp such as"],
    ["audit --between=2026-02-01T24:00:00Z", "It must be one timestamp such as"],
    ["audit --between=2026-02-02T00:00:00Z,2026-02-01", "The range ends before it begins."],
    ["audit --since=soon", "It must be a duration such as 3h."],
    ["store revisions purge --keep-last=-1", "It must be a whole number."],
    ["get rp --server=localhost", "It must be host:port or unix:/path."],
    ["get rp --plaintext --ca-cert=ca.pem", "--plaintext means no TLS"],
    ["get rp --client-cert=a.pem", "--client-cert and --client-key come together"],
    ["put schema -", "a schema from standard input needs a name: give it with --id"],
    ["hash-password --username=a --nonsense", "unknown option"],
  ])("%s", async (command, why) => {
    const { code, out, err } = await ctl(command.split(" ").filter((word) => word !== ""));
    expect([code, out]).toEqual([80, ""]);
    expect(err).toContain(why);
  });
});

test("`authz admin` is the same program", async () => {
  const server = await startAdministered();
  try {
    const argv = ["get", "schemas", "--plaintext", "--server", server.grpc, "--username=boss", "--password=pass:word"];
    expect(await ctl(argv, { asPartOfAuthz: true })).toEqual({ code: 0, out: "SCHEMA ID\n", err: "" });
    expect((await ctl(["version", "--client"], { asPartOfAuthz: true })).out).toMatch(/^\d+\.\d+\.\d+\n/);
    const wrong = await ctl([...argv, "--password=no"], { asPartOfAuthz: true });
    expect(wrong).toEqual({ code: 1, out: "", err: "authz: error: the name or the password is wrong\n" });
  } finally {
    await server.stop();
  }
});

test("version says what both sides are, and needs no password", async () => {
  const server = await startAdministered();
  try {
    const { code, out, err } = await ctl(["version", "--plaintext", "--server", server.grpc]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(
      /^Client version \S+; commit sha: \S+, build date: unknown\nServer version \S+; commit sha: unknown, build date: unknown\n$/,
    );
  } finally {
    await server.stop();
  }
});

test("an export overwrites none of its own files where the disk takes two names for one", async () => {
  const names = ["A.json", "a.json"];
  const server = await startAdministered({ policies: Object.fromEntries(names.map((name) => [`_schemas/${name}`, "{}"])) }, "disk");
  try {
    const folder = join(server.folder, "out");
    // A file with two names stands for a disk that ignores case.
    mkdirSync(join(folder, "_schemas"), { recursive: true });
    const [one = "", other = ""] = names.map((name) => join(folder, "_schemas", name));
    writeFileSync(one, "");
    linkSync(one, other);
    const { code, out, err } = await server.ctl(["store", "export", folder]);
    expect([code, out, err]).toEqual([1, "", expect.stringContaining("`_schemas/A.json` and `_schemas/a.json` are one file in `")]);
  } finally {
    await server.stop();
  }
});

test("an export never leaves its folder, and takes no file for one", async () => {
  const server = await startAdministered({ policies: { "deep/er/a_b.yml": everyKind["cc.yaml"] } }, "disk");
  try {
    const folder = join(server.folder, "out");
    expect((await server.ctl(["store", "e", folder])).out).toContain("\u2713 deep/er/a_b.yml (policy)\n");
    expect(readFileSync(join(folder, "deep/er/a_b.yml"), "utf8")).toContain("name: cc");
    writeFileSync(join(server.folder, "file"), "");
    const { code, err } = await server.ctl(["store", "export", join(server.folder, "file")]);
    expect([code, err]).toEqual([1, expect.stringContaining("is a file: name a folder")]);
  } finally {
    await server.stop();
  }
});

test("the program that is installed is the same", async () => {
  const run = promisify(execFile);
  const program = join(import.meta.dirname, "..", "..", "dist", "ctl.js");
  const { stdout } = await run(process.execPath, [program, "version", "--client"]);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n/);
  const failed = run(process.execPath, [program, "get", "rp", "--server=127.0.0.1:1", "--plaintext"], { env: administrator });
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: "authzctl: error: 127.0.0.1:1 cannot be reached: nothing listens there\n",
  });
  await expect(run(process.execPath, [program, "nonsense"])).rejects.toMatchObject({ code: 80, stdout: "" });
});
