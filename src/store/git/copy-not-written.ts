/** Explains why the local copy of a repository could not be written, and what to do about it. */

const elsewhere = "name another folder (setting storage.git.checkoutDir)";
const room = `make room there, or ${elsewhere}`;
const allow = `let the server's user write there, or ${elsewhere}`;
const free = `remove it, or ${elsewhere}`;

const reasons: { readonly [code: string]: readonly [why: string, remedy: string] } = {
  EACCES: ["the server may not write there", allow],
  EPERM: ["the server may not write there", allow],
  EROFS: ["the file system is read-only", elsewhere],
  ENOSPC: ["the disk is full", room],
  EDQUOT: ["the disk quota is used up", room],
  ENOTDIR: ["a file stands where a folder would have to be", free],
  EEXIST: ["a file stands where a folder would have to be", free],
  EMFILE: ["the server has as many files open as it may", "raise its limit (`ulimit -n`, LimitNOFILE of systemd)"],
  ENFILE: ["the machine has as many files open as it may", "raise its limit (fs.file-max)"],
};

/** Returns the message for an error code of the system. */
export function whyNotWritten(folder: string, code = "unknown error"): string {
  const [why, remedy] = reasons[code] ?? [undefined, elsewhere];
  return `the repository cannot be kept in \`${folder}\`${why === undefined ? "" : `: ${why}`} (${code}): ${remedy}`;
}
