/** Git over ssh: runs the ssh command, without a local shell, without prompts, and with strict host key checking. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { environment } from "../../config/environment.ts";
import { codeOf, refusal } from "../../refusal.ts";
import { flush, readLines } from "./lines.ts";
import { UnreachableError } from "../../outgoing/unreachable-error.ts";
import { readPack } from "./pack.ts";
import { branchesIn, commitOf, heads, largestPack, type Remote } from "./remote.ts";
import { askForPack, readGreeting, readPackAnswer } from "./upload-pack.ts";

/** The repository, and the credentials. */
export interface SshRemoteOptions {
  readonly user: string;
  readonly host: string;
  readonly port: number | undefined;
  readonly path: string;
  readonly branch: string;
  /** The file of the private key; "": those that ssh finds by itself. */
  readonly privateKeyFile: string;
  /** The passphrase of the key; "": none. */
  readonly passphrase: string;
  /** The command to run; default `ssh`. */
  readonly command?: string;
}

/** Creates a remote; nothing is run yet. */
export function sshRemote(options: SshRemoteOptions): Remote {
  return {
    open: async (signal) => {
      const { child, ended, complaint } = await start(options, signal);
      /** Waits for the command to end by itself, since it may still report why; then kills it. */
      const stopped = async (last: string): Promise<void> => {
        child.stdin.end(last);
        await Promise.race([ended, setTimeout(1000, undefined, { ref: false })]);
        end(child);
      };
      const told = async <T>(work: Promise<T>): Promise<T> =>
        await work.catch(async (error: unknown) => {
          await stopped("");
          throw signal.aborted ? error : (complaint() ?? error);
        });
      const lines = readLines(pieces(child, largestPack * 2));
      const greeting = await told(readGreeting(lines));
      if (greeting.version !== 0) throw refusal("the server does not speak the git protocol");
      const close = async (): Promise<void> => await stopped(isAsked ? "" : flush);
      let isAsked = false;
      try {
        const commit = commitOf(options.branch, greeting.refs.get(heads + options.branch), branchesIn(greeting.refs.keys()));
        return {
          commit,
          isNear: false,
          objects: async (have) => {
            isAsked = true;
            child.stdin.write(askForPack(greeting, commit, have?.commit));
            return await readPack(await told(readPackAnswer(lines, largestPack)), have?.read);
          },
          close,
        };
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<void>;
  /** Returns an error with what the command wrote to standard error; undefined when it wrote nothing. */
  readonly complaint: () => Error | undefined;
}

async function start(options: SshRemoteOptions, signal: AbortSignal): Promise<Started> {
  const { command = "ssh", passphrase } = options;
  const folder = passphrase === "" ? undefined : await mkdtemp(join(tmpdir(), "authz-ssh-"));
  if (folder !== undefined) await writeFile(join(folder, "answer"), answerer, { mode: 0o700 });
  if (signal.aborted) {
    // No event follows, so nobody would end the command.
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    throw refusal("aborted");
  }
  const child = spawn(command, sshArguments(options), {
    env: {
      ...inherited,
      ...(folder !== undefined && { SSH_ASKPASS: join(folder, "answer"), SSH_ASKPASS_REQUIRE: "force", AUTHZ_PASSPHRASE: passphrase }),
    },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true, // a process group of its own, so that its children can be killed with it
  });
  let said = "";
  let failure: unknown;
  child.stderr.on("data", (piece: Buffer) => void (said = (said + piece.toString("utf8")).slice(-2000)));
  child.stdin.on("error", () => undefined); // the reason is in standard error
  const stop = (): void => end(child);
  signal.addEventListener("abort", stop, { once: true });
  const ended = new Promise<void>((resolve) => {
    const over = (): void => {
      signal.removeEventListener("abort", stop);
      if (folder === undefined) resolve();
      else void rm(folder, { recursive: true, force: true }).finally(resolve);
    };
    child.on("error", (error) => {
      failure = error;
      over();
    });
    child.on("close", over);
  });
  return {
    child,
    ended,
    complaint: () => {
      if (failure !== undefined)
        return refusal(
          codeOf(failure) === "ENOENT"
            ? `there is no command \`${command}\`, which \`storage.git.protocol: ssh\` needs: install it, or use https`
            : `the command \`${command}\` cannot be started (${codeOf(failure) ?? "unknown error"})`,
        );
      const last = said.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").trim();
      if (last === "") return undefined;
      const message = `ssh says: ${last.slice(-500)}`;
      return isUnreachable.test(last) ? new UnreachableError(message) : refusal(message);
    },
  };
}

/** What OpenSSH says when there is no connection, or when it broke off; keys and passphrases that are refused are none of these. */
const isUnreachable =
  /connect to host .* port|Could not resolve hostname|Connection (?:to .* )?(?:closed|reset|refused|timed out)|Timeout, server|kex_exchange_identification/;

/** Kills the command and all processes that it started. */
function end(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL"); // The group does not exist any more, or never did.
  }
}

/** The askpass program. ssh is configured so that it can only ask for the passphrase of the key. */
const answerer = `#!/bin/sh\nprintf '%s\\n' "$AUTHZ_PASSPHRASE"\n`;

/** The environment of the command: nothing else of ours is passed on. */
const inherited = Object.fromEntries(
  ["PATH", "HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK", "LANG"].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  }),
);

/** Returns the arguments of the ssh command. Configured values cannot be taken for options. */
export function sshArguments({ user, host, port, path, privateKeyFile, passphrase }: SshRemoteOptions): readonly string[] {
  const settings = [
    `BatchMode=${passphrase === "" ? "yes" : "no"}`, // BatchMode would also suppress the prompt for the passphrase.
    "StrictHostKeyChecking=yes",
    "PreferredAuthentications=publickey",
    "NumberOfPasswordPrompts=1",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
    ...(privateKeyFile === "" ? [] : ["IdentitiesOnly=yes"]),
  ];
  return [
    "-T",
    "-a",
    "-x",
    ...settings.flatMap((one) => ["-o", one]),
    ...(privateKeyFile === "" ? [] : ["-i", privateKeyFile]),
    ...(port === undefined ? [] : ["-p", String(port)]),
    "--",
    `${user}@${host}`,
    `git-upload-pack ${quoted(path)}`,
  ];
}

/** Quotes a string for the remote shell. */
const quoted = (text: string): string => `'${text.replaceAll(/['!]/g, (one) => `'\\${one}'`)}'`;

async function* pieces(child: ChildProcessWithoutNullStreams, most: number): AsyncIterable<Uint8Array> {
  let bytes = 0;
  // Without an encoding, Node's streams yield buffers.
  for await (const piece of child.stdout as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > most) throw refusal(`the server sends more than ${most} bytes`);
    yield piece;
  }
}
