/** A bare git repository in a folder of its own, changed by the real git command without a working tree. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a commit does to its files by their paths: a text, or bytes, or what git alone knows; null removes. `"": null` removes everything. */
export interface Files {
  readonly [path: string]: string | Uint8Array | Special | null;
}

/** Entries that are no files. */
export type Special = { readonly linkTo: string } | { readonly submoduleAt: string };

/** How a commit comes to be. */
export interface CommitOptions {
  readonly message?: string;
  readonly branch?: string;
  /** The new commit has no parent, or replaces the newest one: what was there is history that was pushed away. */
  readonly force?: "orphan" | "amend";
}

/** A repository. */
export interface Repository {
  /** Its folder; it ends in `.git`. */
  readonly path: string;
  /** Adds a commit to a branch and returns its object id. */
  readonly commit: (files: Files, options?: CommitOptions) => Promise<string>;
  /** Runs the git command in it and returns what it prints. */
  readonly git: (...args: readonly string[]) => Promise<string>;
  readonly remove: () => void;
}

/** The environment that git runs in: nobody's own settings. */
export const gitEnvironment = (home: string): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: home,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
});

/** Makes a repository without commits. */
export async function makeRepository(branch = "master"): Promise<Repository> {
  const home = mkdtempSync(join(tmpdir(), "authz-git-"));
  const path = join(home, "policies.git");
  writeFileSync(join(home, ".gitconfig"), "[safe]\n\tdirectory = *\n");
  await run(home, ["init", "--quiet", "--bare", `--initial-branch=${branch}`, path]);
  const git = (...args: readonly string[]): Promise<string> => run(home, ["-C", path, ...args]);
  let queue: Promise<unknown> = Promise.resolve();
  let moment = Math.floor(Date.now() / 1000);
  const commit = async (files: Files, options: CommitOptions): Promise<string> => {
    const ref = `refs/heads/${options.branch ?? branch}`;
    const parent = options.force === "orphan" ? "" : await run(home, ["-C", path, "rev-parse", "--quiet", "--verify", ref], "", true);
    const from = parent === "" ? "" : `from ${ref}^0${options.force === "amend" ? "~1" : ""}\n`;
    const text = Buffer.from(options.message ?? "changed");
    const parts: (string | Uint8Array)[] = [
      `commit ${ref}\ncommitter Test <test@example.com> ${moment++} +0000\ndata ${text.length}\n`,
      text,
    ];
    parts.push(`\n${from}`);
    for (const [name, content] of Object.entries(files)) parts.push(...line(name, content));
    parts.push("\n");
    if (options.force === "orphan") await git("update-ref", "-d", ref);
    await run(home, ["-C", path, "fast-import", "--quiet", "--force"], Buffer.concat(parts.map((part) => Buffer.from(part))));
    return await git("rev-parse", ref);
  };
  return {
    path,
    git,
    commit: (files, options = {}) => {
      const done = queue.then(() => commit(files, options));
      queue = done.catch(() => undefined);
      return done;
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

function line(name: string, content: Files[string]): readonly (string | Uint8Array)[] {
  if (content === undefined) return [];
  if (content === null) return [name === "" ? "deleteall\n" : `D ${name}\n`];
  if (typeof content === "object" && "submoduleAt" in content) return [`M 160000 ${content.submoduleAt} ${name}\n`];
  const isLink = typeof content === "object" && "linkTo" in content;
  const bytes = Buffer.from(isLink ? content.linkTo : content);
  return [`M ${isLink ? "120000" : "100644"} inline ${name}\ndata ${bytes.length}\n`, bytes, "\n"];
}

function run(home: string, args: readonly string[], input: string | Uint8Array = "", mayFail = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", args, { env: gitEnvironment(home), stdio: ["pipe", "pipe", "pipe"] });
    const said: Buffer[] = [];
    const complained: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => said.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => complained.push(chunk));
    child.stdin.on("error", () => undefined); // its exit tells more
    child.on("error", reject);
    child.on("close", (status) => {
      if (status === 0 || mayFail) resolve(Buffer.concat(said).toString().trim());
      else reject(new Error(`git ${args.join(" ")}: ${Buffer.concat(complained).toString()}`));
    });
    child.stdin.end(input);
  });
}
