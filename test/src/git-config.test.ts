/** The settings of the git store: what they may be together, where a mistake stands, and what is shown of secrets. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { branchProblem, parseGitAddress, subDirProblem, type GitProtocol } from "../../src/config/git-address.ts";
import { maskAddressSecrets } from "../../src/config/url-secrets.ts";
import { temporaryFolder } from "../server/harness.ts";

const folder = temporaryFolder({});
afterAll(() => rmSync(folder, { recursive: true }));

async function config(verb: "validate" | "print", git: string): Promise<{ readonly code: number; readonly text: string }> {
  const file = join(folder, "authz.yaml");
  writeFileSync(file, `storage:\n  driver: git\n  git:\n${git.replaceAll(/^/gm, "    ")}\n`);
  let text = "";
  const line = (written: string): void => void (text += written);
  const code = await run(["config", verb, file], { out: line, err: line, terminal: false, environment: {} });
  return { code, text: text.replaceAll(`${folder}/`, "") };
}

test.each<[string, string]>([
  ["https", "url: https://git.example.com/policies.git"],
  ["https with credentials", "url: https://git.example.com/policies.git\nhttps: { username: ann, password: x, caCert: ca.pem }"],
  ["a token alone", "url: https://git.example.com/policies.git\nhttps: { password: x }"],
  ["credentials in the address", "url: https://ann:x@git.example.com/policies.git"],
  ["http of this machine", "protocol: http\nurl: http://127.0.0.1:3000/policies.git\nhttps: { username: ann, password: x }"],
  ["ssh", "protocol: ssh\nurl: git@git.example.com:policies.git\nssh: { privateKeyFile: key, password: x }"],
  ["ssh as a URL", "protocol: ssh\nurl: ssh://git.example.com:2222/policies.git"],
  ["a path", "protocol: file\nurl: /srv/policies"],
  ...["localhost", "localhost:8080", "127.0.0.1", "127.8.9.1:80", "[::1]"].map((host): [string, string] => [
    `a password that stays on this machine, ${host}`,
    `protocol: http\nurl: http://${host}/x.git\nhttps: { password: hunter2 }`,
  ]),
  [
    "a file URL",
    "protocol: file\nurl: file:///srv/policies\nbranch: release/1.x\nsubDir: a/b/\ncheckoutDir: /tmp/x\nupdatePollInterval: 60s\noperationTimeout: 10s",
  ],
])("%s is a configuration", async (_, git) =>
  expect(await config("validate", git)).toMatchObject({ code: 0, text: expect.not.stringMatching(/error|warning/) }),
);

test.each<[string, string, number, string]>([
  ["no address", "branch: main", 1, "authz.yaml:2:3: error: `storage.driver: git` needs `storage.git.url`"],
  [
    "a password with the line break of the file that it was read from",
    'url: https://git.example.com/x.git\nhttps: { username: ann, password: "secret\\n" }',
    1,
    "authz.yaml:5:29: error: `storage.git.https.password` holds a line break or another control character, which cannot be sent to a server\n  = hint: what was read from a file may end with the line break of that file: leave it out",
  ],
  [
    "an address of another protocol",
    "url: http://git.example.com/x.git",
    1,
    "authz.yaml:4:5: error: `storage.git.url` begins with http://, but `storage.git.protocol` is https\n  = hint: write `protocol: http`",
  ],
  [
    "an address of a protocol that nobody speaks",
    "url: ext::sh -c x",
    1,
    "authz.yaml:4:5: error: `storage.git.url` must be an address such as https://git.example.com/policies.git when `storage.git.protocol` is https",
  ],
  [
    "one more",
    "protocol: ssh\nurl: git://git.example.com/x",
    1,
    "authz.yaml:5:5: error: `storage.git.url` begins with git://, but `storage.git.protocol` is ssh",
  ],
  [
    "a host that would be an option",
    "protocol: ssh\nurl: -oProxyCommand=x:y",
    1,
    "authz.yaml:5:5: error: `storage.git.url` must be git@git.example.com:policies.git or ssh://git.example.com/policies.git when",
  ],
  [
    "a password for ssh in the address",
    "protocol: ssh\nurl: ssh://ann:hunter2@git.example.com/x.git",
    1,
    "authz.yaml:5:5: error: `storage.git.url` holds a password, which ssh does not take from there",
  ],
  [
    "credentials twice",
    "url: https://ann:hunter2@git.example.com/x.git\nhttps: { password: hunter3 }",
    1,
    "authz.yaml:4:5: error: `storage.git.url` holds credentials, and so does `storage.git.https`",
  ],
  [
    "a token in a parameter",
    "url: https://git.example.com/x.git?token=hunter2",
    1,
    "authz.yaml:4:5: error: `storage.git.url` must end with the repository's path",
  ],
  [
    "a place in the repository's page",
    "url: https://git.example.com/x.git#main",
    1,
    "authz.yaml:4:5: error: `storage.git.url` must end with the repository's path",
  ],
  [
    "a password on the open road",
    "protocol: http\nurl: http://git.example.com/x.git\nhttps: { password: hunter2 }",
    0,
    "authz.yaml:4:5: warning: `storage.git.protocol: http` sends the password in clear text",
  ],
  ...["localhost.example.com", "127.0.0.1.example.com", "127.example.com"].map((host): [string, string, number, string] => [
    `a password on the open road to ${host}, which is not this machine`,
    `protocol: http\nurl: http://${host}/x.git\nhttps: { password: hunter2 }`,
    0,
    "authz.yaml:4:5: warning: `storage.git.protocol: http` sends the password in clear text",
  ]),
  [
    "settings of another protocol",
    "protocol: file\nurl: /srv/x\nhttps: { password: hunter2 }",
    0,
    "authz.yaml:6:14: warning: `storage.git.https.password` does nothing while `storage.git.protocol` is file",
  ],
  [
    "a passphrase of no key",
    "protocol: ssh\nurl: git@git.example.com:x\nssh: { password: hunter2 }",
    1,
    "authz.yaml:6:12: error: `storage.git.ssh.password` needs `storage.git.ssh.privateKeyFile`",
  ],
  [
    "a folder outside",
    "url: https://git.example.com/x.git\nsubDir: a/../../b",
    1,
    "authz.yaml:5:5: error: `storage.git.subDir` must be a path within the repository, without `..`",
  ],
  [
    "a folder from the root",
    "url: https://git.example.com/x.git\nsubDir: /etc",
    1,
    "authz.yaml:5:5: error: `storage.git.subDir` must be a path within",
  ],
  [
    "a branch that git would not have",
    "url: https://git.example.com/x.git\nbranch: a..b",
    1,
    "authz.yaml:5:5: error: `storage.git.branch` must be the name of a branch",
  ],
  [
    "no time",
    "url: https://git.example.com/x.git\noperationTimeout: 0s",
    1,
    "authz.yaml:5:5: error: `storage.git.operationTimeout` must be greater than zero",
  ],
  [
    "what the reference has besides",
    "url: https://git.example.com/x.git\nscratchDir: /tmp",
    0,
    "authz.yaml:5:5: warning: `storage.git.scratchDir` has no meaning here and is ignored",
  ],
])("%s is told where it stands", async (_, git, code, message) => {
  const told = await config("validate", git);
  expect(told).toEqual({ code, text: expect.stringContaining(message) });
  expect(told.text).not.toMatch(/hunter/);
});

test("several mistakes are told together", async () => {
  const { text } = await config("validate", "url: nothing\nbranch: -x\nsubDir: ..\noperationTimeout: 0");
  expect(text.match(/^authz\.yaml:\d+:\d+: error: /gm)).toHaveLength(4);
});

test("what is printed shows no secret", async () => {
  for (const url of ["https://ann:hunter2@git.example.com/x.git", "https://hunter2@git.example.com/x.git"]) {
    const { code, text } = await config("print", `url: ${url}`);
    expect([code, text]).toEqual([0, expect.stringContaining("git.example.com/x.git")]);
    expect(text).not.toContain("hunter2");
  }
  expect((await config("print", "url: https://git.example.com/x.git\nhttps: { username: ann, password: hunter2 }")).text).not.toContain(
    "hunter2",
  );
});

test.each([
  ["https//ann:hunter2@git.example.com/x.git", "https//ann:***@git.example.com/x.git"],
  ["ann:hunter2@git.example.com/x.git", "ann:***@git.example.com/x.git"],
  ["git@git.example.com:x.git", "git@git.example.com:x.git"],
  ["/srv/policies", "/srv/policies"],
])("%s is shown as %s", (written, shown) => expect(maskAddressSecrets(written)).toBe(shown));

describe("an address", () => {
  const ssh = { kind: "ssh", user: undefined, port: undefined };
  test.each<[GitProtocol, string, object]>([
    ["https", "https://git.example.com/a/b.git/", { kind: "http", url: "https://git.example.com/a/b.git", username: "", password: "" }],
    [
      "https",
      "HTTPS://Ann:p%40ss@git.example.com/b",
      { kind: "http", url: "https://git.example.com/b", username: "Ann", password: "p@ss" },
    ],
    ["ssh", "git@git.example.com:a/b.git", { ...ssh, user: "git", host: "git.example.com", path: "a/b.git" }],
    ["ssh", "git.example.com:/a/b.git", { ...ssh, host: "git.example.com", path: "/a/b.git" }],
    ["ssh", "ann@[::1]:b", { ...ssh, user: "ann", host: "::1", path: "b" }],
    ["ssh", "ssh://ann@git.example.com:2222/a%20b.git", { ...ssh, user: "ann", host: "git.example.com", port: 2222, path: "/a b.git" }],
    ["ssh", "ssh://git.example.com/~ann/b", { ...ssh, host: "git.example.com", path: "~ann/b" }],
    ["file", "policies", { kind: "file", path: "policies" }],
    ["file", "file:///srv/a%20b", { kind: "file", path: "/srv/a b" }],
    ["file", "file://localhost/srv", { kind: "file", path: "/srv" }],
  ])("of %s: %s", (protocol, url, wanted) => expect(parseGitAddress(protocol, url)).toEqual(wanted));

  test.each<[GitProtocol, string]>([
    ["https", ""],
    ["https", "git.example.com/x"],
    ["https", "https://"],
    ["https", "https://git.example.com/x#y"],
    ["ssh", ""],
    ["ssh", "/srv/x"],
    ["ssh", "git.example.com"],
    ["ssh", "ssh://git.example.com"],
    ["ssh", "ssh://git.example.com/"],
    ["ssh", "-x:y"],
    ["ssh", "-o@h:y"],
    ["ssh", "h:-y"],
    ["ssh", "ssh://-h/y"],
    ["ssh", "ssh://-u@h/y"],
    ["ssh", "a b:y"],
    ["ssh", "h:y\nz"],
    ["ssh", "ssh://h/y%0Az"],
    ["file", ""],
    ["file", "file://elsewhere/srv"],
    ["file", "a\0b"],
    ["file", "file:///a%00b"],
    ["file", "https://x/y"],
  ])("of %s is not %j", (protocol, url) => expect(parseGitAddress(protocol, url)).toHaveProperty("message"));
});

test.each(["master", "main", "release/1.x", "feature-#12", "日本", "a.b", "@x"])("%s is a branch", (name) =>
  expect(branchProblem(name)).toBeUndefined(),
);
test.each([
  "-x",
  ".x",
  "a/.b",
  "a..b",
  "a b",
  "a~1",
  "a^",
  "a:b",
  "a?",
  "a*",
  "a[b",
  "a\\b",
  "a@{1}",
  "@",
  "a/",
  "/a",
  "a//b",
  "a.lock",
  "a.lock/b",
  "a.",
  "a\nb",
  "a\0b",
])("%j is none", (name) => expect(branchProblem(name)).toContain("must be the name of a branch"));
test.each(["", ".", "a", "a/b/", "./a", "a..b", "..."])("%j is a folder of it", (name) => expect(subDirProblem(name)).toBeUndefined());
test.each(["..", "a/..", "../a", "/a", "a\\b", "a\nb"])("%j is none of it", (name) =>
  expect(subDirProblem(name)).toContain("storage.git.subDir"),
);
