/** Parses the address of a git repository from `storage.git.protocol` and `storage.git.url`. */

/** Where a repository is. Plain data. */
export type GitAddress =
  | {
      readonly kind: "http";
      /** Without credentials, and without a slash at its end. */
      readonly url: string;
      /** What stands in the address itself. */
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

/** How a repository is reached. */
export type GitProtocol = "https" | "http" | "ssh" | "file";

/** What is wrong with an address, and what to do. */
export interface AddressProblem {
  readonly message: string;
  readonly hint?: string;
}

/** Reads an address. Its text is never repeated in what is wrong with it, because it may hold a password. */
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
  // As git has it: /~name/x is in somebody's home.
  const path = decoded(url.pathname).replace(/^\/~/, "~");
  const user = url.username === "" ? undefined : decoded(url.username);
  return ssh(user, url.hostname.replace(/^\[(.*)\]$/, "$1"), url.port === "" ? undefined : Number(url.port), path);
}

function parseScp(written: string): GitAddress | undefined {
  const [, user, host = "", path = ""] = /^(?:([^@/:]+)@)?(\[[^\]]+\]|[^@/:[\]]+):(?!\/\/)(.+)$/.exec(written) ?? [];
  return ssh(user, host.replace(/^\[(.*)\]$/, "$1"), undefined, path);
}

/** What begins with a dash would be an option of the command that it is handed to. */
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

/** Says why git would not have a branch of this name; undefined when it would. */
export function branchProblem(branch: string): string | undefined {
  const isName = !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|\/\.|^[./-]|\.$|\/$|\.lock(?:\/|$)/u.test(branch) && branch !== "@";
  return isName ? undefined : "`storage.git.branch` must be the name of a branch, without `refs/heads/`";
}

/** Says why this cannot be a folder of a repository; undefined when it can. */
export function subDirProblem(folder: string): string | undefined {
  if (folder.startsWith("/") || folder.split("/").includes(".."))
    return "`storage.git.subDir` must be a path within the repository, without `..`";
  return /[\p{Cc}\\]/u.test(folder) ? "`storage.git.subDir` must have `/` between its folders" : undefined;
}
