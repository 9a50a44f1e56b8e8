/** Reads from the settings which repository is used, how it is reached, and where its local copy is. */
import { join, resolve } from "node:path";
import { branchProblem, parseGitAddress, subDirProblem } from "../../config/git-address.ts";
import { maskAddressSecrets } from "../../config/url-secrets.ts";
import { digest } from "../../texts/digest.ts";
import { refusal } from "../../refusal.ts";
import type { StorageConfig } from "../storage.ts";
import { userCacheFolder } from "../user-cache.ts";
import { folderRemote } from "./folder.ts";
import { httpRemote } from "./http.ts";
import type { Remote } from "./remote.ts";
import { sshRemote } from "./ssh.ts";

/** A repository, and the directory of its copy. */
export interface GitPlace {
  /** The name for messages, without secrets. */
  readonly name: string;
  readonly remote: Remote;
  /** The folder in the repository that contains the policies; "": its root. */
  readonly folder: string;
  /** The directory of the copy, distinct for each repository, branch and folder. */
  readonly copyFolder: string;
}

/** Reads the settings; throws a refusal when they are invalid. */
export function gitPlace(config: StorageConfig): GitPlace {
  const { "storage.git.url": url, "storage.git.branch": branch, "storage.git.subDir": subDir } = config;
  const address = parseGitAddress(config["storage.git.protocol"], url);
  const problem = "message" in address ? address.message : (branchProblem(branch) ?? subDirProblem(subDir));
  if (problem !== undefined || "message" in address) throw refusal(problem ?? "");
  const folder = subDir
    .split("/")
    .filter((one) => one !== "" && one !== ".")
    .join("/");
  const copies = config["storage.git.checkoutDir"] === "" ? userCacheFolder("git") : resolve(config["storage.git.checkoutDir"]);
  if (copies === undefined)
    throw refusal("there is no home folder to keep the repository in: name a folder (setting storage.git.checkoutDir)");
  const place = (remote: Remote, key: string): GitPlace => ({
    name: `the git repository \`${maskAddressSecrets(url)}\` (branch \`${branch}\`)`,
    remote,
    folder,
    copyFolder: join(copies, digest(JSON.stringify([key, branch, folder])).slice(0, 32)),
  });
  switch (address.kind) {
    case "http": {
      const username = config["storage.git.https.username"] || address.username;
      const password = config["storage.git.https.password"] || address.password;
      return place(httpRemote({ url: address.url, branch, username, password, caCert: config["storage.git.https.caCert"] }), address.url);
    }
    case "ssh": {
      const { host, port, path } = address;
      const user = address.user ?? config["storage.git.ssh.user"];
      const key = { privateKeyFile: config["storage.git.ssh.privateKeyFile"], passphrase: config["storage.git.ssh.password"] };
      return place(sshRemote({ user, host, port, path, branch, ...key }), `ssh://${user}@${host}:${port ?? 22}/${path}`);
    }
    case "file":
      return place(folderRemote({ path: address.path, branch }), `file://${resolve(address.path)}`);
  }
}
