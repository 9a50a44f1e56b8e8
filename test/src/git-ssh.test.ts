/** The git store over ssh: a program that stands for the ssh command runs git's own other end here. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { followStore } from "../../src/follow/compile-loop.ts";
import { openGit } from "../../src/store/git.ts";
import { sshArguments, sshRemote } from "../../src/store/git/ssh.ts";
import type { Store } from "../../src/store/store.ts";
import { UnreachableError } from "../../src/outgoing/unreachable-error.ts";
import { openGitFixture } from "../git/fixture.ts";
import { seen } from "../git/open-store.ts";
import { makeRepository } from "../git/repository.ts";
import { eventually } from "../server/harness.ts";

const { cache, closeLater } = openGitFixture();
const after: (() => unknown)[] = [];
afterEach(async () => {
  for (const put of after.splice(0)) await put();
});
const failure = async (reading: Promise<unknown>): Promise<string> => await reading.then(() => "no failure", String);

/** What has ended and is mourned by nobody runs no more. */
function isRunning(id: string): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${id}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe("ssh", () => {
  const options = {
    user: "git",
    host: "git.example.com",
    port: undefined,
    path: "policies.git",
    branch: "master",
    privateKeyFile: "",
    passphrase: "",
  };
  /** Stands for the ssh command: notes what it is told, and runs the other end here. */
  const command = (body: string): string => {
    const path = join(cache(), "ssh");
    mkdirSync(cache(), { recursive: true });
    writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" > '${cache()}/arguments'\nfor last; do :; done\n${body}\n`, { mode: 0o755 });
    return path;
  };
  const openSsh = (given: Partial<Parameters<typeof sshRemote>[0]>, operationMilliseconds = 10_000): Store => {
    const place = {
      name: "the git repository `x`",
      remote: sshRemote({ ...options, ...given }),
      folder: "",
      copyFolder: join(cache(), "copies", "1"),
    };
    const store = openGit({ place, operationMilliseconds, pollMilliseconds: 0 });
    closeLater(store);
    return store;
  };

  test("carries git's own conversation: everything, then the difference", async () => {
    const repository = await makeRepository();
    after.push(repository.remove);
    await repository.commit({ "a.yaml": "a".repeat(100_000), "b.yaml": "b" });
    const store = openSsh({ path: repository.path, command: command('exec sh -c "$last"') });
    expect(seen(await store.read())).toEqual({ changed: { "a.yaml": "100000 characters", "b.yaml": "b" } });
    expect(seen(await store.read())).toEqual({});
    await repository.commit({ "b.yaml": "b2" });
    expect(seen(await store.read())).toEqual({ changed: { "b.yaml": "b2" } });
    await repository.commit({ "c.yaml": "c" }, { force: "orphan" });
    expect(seen(await store.read())).toEqual({ changed: { "c.yaml": "c" }, removed: ["a.yaml", "b.yaml"] });
    const told = readFileSync(join(cache(), "arguments"), "utf8").split("\n");
    expect(told.slice(-4)).toEqual(["--", "git@git.example.com", `git-upload-pack '${repository.path}'`, ""]);
    expect(told).toEqual(expect.arrayContaining(["BatchMode=yes", "StrictHostKeyChecking=yes", "PreferredAuthentications=publickey"]));
  });

  test("what has arrived is taken in by the next reading when the time is up before the connection has ended", async () => {
    const repository = await makeRepository();
    after.push(repository.remove);
    await repository.commit({ "a.yaml": "a", "b.yaml": "b" });
    const lingers = join(cache(), "lingers");
    const body = `sh -c "$last"; [ ! -e '${lingers}' ] || exec sleep 1000`;
    // Less than what is waited for the end of the command, so that the time is up while that is waited for.
    const store = openSsh({ path: repository.path, command: command(body) }, 950);
    await eventually(
      () => store.read().then(seen, () => undefined),
      (found) => found !== undefined,
    );
    await repository.commit({ "a.yaml": "a2", "b.yaml": null });
    writeFileSync(lingers, "");
    expect(await failure(store.read())).toContain("there is no answer within 950ms");
    rmSync(lingers);
    const found = await eventually(
      () => store.read().then(seen, () => undefined),
      (each) => each !== undefined,
    );
    expect(found).toEqual({ changed: { "a.yaml": "a2" }, removed: ["b.yaml"] });
  });

  test("a path with quotes in it is one word at the other end", async () => {
    const repository = await makeRepository();
    after.push(repository.remove);
    await repository.commit({ "a.yaml": "a" });
    const odd = join(cache(), "it's; touch x $(touch y)!.git");
    await repository.git("clone", "--quiet", "--bare", repository.path, odd);
    expect(seen(await openSsh({ path: odd, command: command('exec sh -c "$last"') }).read())).toEqual({ changed: { "a.yaml": "a" } });
    expect([existsSync("x"), existsSync("y")]).toEqual([false, false]);
  });

  test.each<[string, () => string, string]>([
    ["there is no such command", () => join(cache(), "none"), "which `storage.git.protocol: ssh` needs: install it, or use https"],
    [
      "the server refuses the key",
      () => command("echo 'git@git.example.com: Permission denied (publickey).' >&2; exit 255"),
      "ssh says: git@git.example.com: Permission denied (publickey).",
    ],
    [
      "the server is not known",
      () => command("echo 'Host key verification failed.' >&2; exit 255"),
      "ssh says: Host key verification failed.",
    ],
    ["it says nothing", () => command("exit 1"), "the server's answer ends before it is complete"],
    ["the server says something else", () => command("echo Welcome; cat >/dev/null"), "does not speak the git protocol"],
    [
      "it hangs, and so does what it has started",
      () => command(`sleep 1000 & echo $! > '${cache()}/child'; wait`),
      "there is no answer within 500ms",
    ],
  ])("when %s, that is said, and nothing stays behind", async (_, make, message) => {
    expect(await failure(openSsh({ command: make() }, 500).read())).toContain(message);
    const child = join(cache(), "child");
    if (existsSync(child))
      await eventually(
        () => isRunning(readFileSync(child, "utf8").trim()),
        (runs) => !runs,
      );
  });

  test.each(["", "secret"])(
    "when it is closed, a reading that waits for another starts nothing that stays (passphrase %j)",
    async (passphrase) => {
      const started = join(cache(), "started");
      const store = openSsh({ command: command(`echo $$ >> '${started}'; exec sleep 1000`), passphrase });
      const readings = [store.read(), store.read()].map(failure);
      await eventually(
        () => existsSync(started),
        (isThere) => isThere,
      );
      await store.close();
      await Promise.all(readings);
      await new Promise((resolve) => setTimeout(resolve, 500)); // what is started now would be there
      await eventually(
        // Empty where it was ended before it could write its number.
        () =>
          readFileSync(started, "utf8")
            .split("\n")
            .filter((id) => id !== "" && isRunning(id)),
        (running) => running.length === 0,
        5000,
      );
    },
  );

  test("when following it ends, so does a reading that hangs, and what it has started and written", async () => {
    const [child, temporary] = [join(cache(), "child"), join(cache(), "temporary")];
    mkdirSync(temporary, { recursive: true });
    vi.stubEnv("TMPDIR", temporary);
    after.push(() => vi.unstubAllEnvs());
    const store = openSsh({ command: command(`sleep 1000 & echo $! > '${child}'; wait`), passphrase: "secret" }, 3_600_000);
    const loop = followStore({ store, watch: true, post: () => undefined });
    await eventually(
      () => existsSync(child) && readFileSync(child, "utf8").trim(),
      (id) => id !== false && id !== "",
    );
    expect(readdirSync(temporary)).toHaveLength(1);
    await loop.close();
    expect([readdirSync(temporary), isRunning(readFileSync(child, "utf8").trim())]).toEqual([[], false]);
  });

  test.each<[says: string, mayPass: boolean]>([
    ["ssh: connect to host git.example.com port 22: Connection refused", true],
    ["ssh: connect to host git.example.com port 22: No route to host", true],
    ["ssh: Could not resolve hostname git.example.com: Name or service not known", true],
    ["kex_exchange_identification: read: Connection reset by peer", true],
    ["Connection to git.example.com closed by remote host.", true],
    ["git@git.example.com: Permission denied (publickey).", false],
    ["Host key verification failed.", false],
    ["ERROR: Repository not found.", false],
    ["fatal: '/policies.git' does not appear to be a git repository", false],
  ])("when it says %j, to ask again may help: %s", async (says, mayPass) => {
    const store = openSsh({ command: command(`cat >&2 <<'end'\n${says}\nend\nexit 255`) });
    const error = await store.read().catch((failed: unknown) => failed);
    expect([error instanceof UnreachableError, String(error)]).toEqual([mayPass, `Refusal: the git repository \`x\`: ssh says: ${says}`]);
  });

  test("the key's passphrase is told to whoever asks for it, and is among no arguments", async () => {
    const key = join(cache(), "key");
    const passphrase = "open $ésame' \"";
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-f", key]);
    // The command that ssh would run to ask: ssh-keygen asks in the same way, and answers with the public key only when it was told rightly.
    const ask = command(`exec setsid -w ssh-keygen -y -f '${key}' >&2 </dev/null`);
    const said = await failure(openSsh({ command: ask, privateKeyFile: key, passphrase }).read());
    expect(said).toContain(readFileSync(`${key}.pub`, "utf8").split(" ").slice(0, 2).join(" "));
    expect(readFileSync(join(cache(), "arguments"), "utf8")).not.toContain("ésame");
    expect(await failure(openSsh({ command: ask, privateKeyFile: key, passphrase: "another" }).read())).toContain("incorrect passphrase");
  });

  test("the command is told of our environment only what ssh needs", async () => {
    await failure(openSsh({ command: command(`env | sed 's/=.*//' > '${cache()}/names'; exit 1`), passphrase: "secret" }).read());
    const ofSsh = ["PATH", "HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK", "LANG", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "AUTHZ_PASSPHRASE"];
    const ofShells = ["PWD", "OLDPWD", "SHLVL", "_"];
    const names = readFileSync(join(cache(), "names"), "utf8").trim().split("\n");
    expect(names.filter((name) => !ofSsh.includes(name) && !ofShells.includes(name))).toEqual([]);
    expect(names).toContain("AUTHZ_PASSPHRASE");
  });

  test("a key that is named is the only one, and a port is said", () => {
    const told = sshArguments({ ...options, port: 2222, privateKeyFile: "/keys/policies", passphrase: "secret" });
    expect(told.join(" ")).toContain("-i /keys/policies -p 2222 -- git@git.example.com");
    expect(told).toEqual(expect.arrayContaining(["IdentitiesOnly=yes", "BatchMode=no"]));
    expect(told.join(" ")).not.toContain("secret");
  });
});
