/** Parses the address of a git repository from `storage.git.protocol` and `storage.git.url`. */

/** The address of a repository, as plain data. */
export type GitAddress =
  | {
      readonly kind: "http";
      /** Without credentials and without a trailing slash. */
      readonly url: string;
      /** The credentials in the URL itself. */
      readonly username: string;
      readonly password: string;
    }
  | {
      readonly kind: "ssh";
      readonly user: string | undefined;
      readonly host: string;
      readonly port: number | undefined;
      readonly path: string;
    }
  | { readonly kind: "file"; readonly path: string };

/** The protocols of `storage.git.protocol`. */
export type GitProtocol = "https" | "http" | "ssh" | "file";

/** What is wrong with an address, and what to do about it. */
export interface AddressProblem {
  readonly message: string;
  readonly hint?: string;
}

/** Parses an address. Messages never quote it, because it may hold a password. */
export function parseGitAddress(protocol: GitProtocol, url: string): GitAddress | AddressProblem {
  const written = url.trim();
  const [, scheme] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(written) ?? [];
  if (scheme !== undefined && scheme.toLowerCase() !== protocol) {
    const known = ["https", "http", "ssh", "file"].includes(scheme.toLowerCase());
    return {
      message: `\`storage.git.url\` begins with ${scheme}://, but \`storage.git.protocol\` is ${protocol}`,
      ...(known && { hint: `write \`protocol: ${scheme.toLowerCase()}\`` }),
    };
  }
  switch (protocol) {
    case "https":
    case "http":
      return scheme === undefined
        ? isNot(protocol, `an address such as ${protocol}://git.example.com/policies.git`)
        : parseHttp(protocol, written);
    case "ssh":
      return (
        (scheme === undefined ? parseScp(written) : parseSsh(written)) ??
        isNot("ssh", "git@git.example.com:policies.git or ssh://git.example.com/policies.git")
      );
    case "file":
      return parseFile(written, scheme !== undefined) ?? isNot("file", "a path, or file:///path");
  }
}

const isNot = (protocol: GitProtocol, wanted: string): AddressProblem => ({
  message: `\`storage.git.url\` must be ${wanted} when \`storage.git.protocol\` is ${protocol}`,
});

function parseHttp(protocol: "https" | "http", written: string): GitAddress | AddressProblem {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || url.hostname === "") return isNot(protocol, `an address such as ${protocol}://git.example.com/policies.git`);
  if (url.search !== "" || url.hash !== "")
    return { message: "`storage.git.url` must end with the repository's path: nothing after `?` or `#`" };
  const [username, password] = [url.username, url.password].map(decoded);
  url.username = url.password = "";
  return { kind: "http", url: url.href.replace(/\/+$/, ""), username: username ?? "", password: password ?? "" };
}

function parseSsh(written: string): GitAddress | AddressProblem | undefined {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || url.search !== "" || url.hash !== "") return undefined;
  if (url.password !== "")
    return {
      message: "`storage.git.url` holds a password, which ssh does not take from there",
      hint: "keys are named by `storage.git.ssh.privateKeyFile`",
    };
  // As in git, `/~name/x` is a path within a home directory.
  const path = decoded(url.pathname).replace(/^\/~/, "~");
  const user = url.username === "" ? undefined : decoded(url.username);
  return ssh(user, url.hostname.replace(/^\[(.*)\]$/, "$1"), url.port === "" ? undefined : Number(url.port), path);
}

function parseScp(written: string): GitAddress | undefined {
  const [, user, host = "", path = ""] = /^(?:([^@/:]+)@)?(\[[^\]]+\]|[^@/:[\]]+):(?!\/\/)(.+)$/.exec(written) ?? [];
  return ssh(user, host.replace(/^\[(.*)\]$/, "$1"), undefined, path);
}

/**
 * Returns the address; undefined when a part of it is unusable. A part that begins with a dash would be taken for an option of the
 * `ssh` command.
 */
function ssh(user: string | undefined, host: string, port: number | undefined, path: string): GitAddress | undefined {
  const isPlain = (text: string): boolean => /^[^-\s\p{Cc}][^\s\p{Cc}]*$/u.test(text);
  if (!isPlain(host) || !(user === undefined || isPlain(user)) || path === "" || path === "/" || /^-|[\p{Cc}]/u.test(path))
    return undefined;
  return { kind: "ssh", user, host, port, path };
}

function parseFile(written: string, isUrl: boolean): GitAddress | undefined {
  if (!isUrl) return written === "" || written.includes("\0") ? undefined : { kind: "file", path: written };
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || (url.hostname !== "" && url.hostname !== "localhost") || url.pathname === "/") return undefined;
  const path = decoded(url.pathname);
  return path.includes("\0") ? undefined : { kind: "file", path };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns why git would refuse this name for a branch; undefined when it is valid. */
export function branchProblem(branch: string): string | undefined {
  const isName = !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|\/\.|^[./-]|\.$|\/$|\.lock(?:\/|$)/u.test(branch) && branch !== "@";
  return isName ? undefined : "`storage.git.branch` must be the name of a branch, without `refs/heads/`";
}

/** Returns why this cannot be a directory of a repository; undefined when it can. */
export function subDirProblem(folder: string): string | undefined {
  if (folder.startsWith("/") || folder.split("/").includes(".."))
    return "`storage.git.subDir` must be a path within the repository, without `..`";
  return /[\p{Cc}\\]/u.test(folder) ? "`storage.git.subDir` must have `/` between its folders" : undefined;
}
