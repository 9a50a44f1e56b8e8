/** The sentence for errors that come of too many open files: a program that loads opens dozens of files at once. */

const sentences: { readonly [code: string]: string } = {
  EMFILE:
    "the process has as many files open as it may: allow it 1024 or more (`ulimit -n 1024` in the shell that starts it, LimitNOFILE=1024 for systemd)",
  ENFILE: "the machine has as many files open as it may: allow it more (`sysctl fs.file-max`), or end what has many open",
};

/** Returns the sentence, without a full stop; undefined for any other error. */
export function outOfFiles(error: unknown): string | undefined {
  // What starts a process or a thread says it in its message alone.
  const [code = ""] = /\bE[MN]FILE\b/.exec(String(error)) ?? [];
  return sentences[code];
}
