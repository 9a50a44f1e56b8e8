/** The error messages for too many open files: a program opens dozens of files while it is loaded. */

const sentences: { readonly [code: string]: string } = {
  EMFILE:
    "the process has as many files open as it may: allow it 1024 or more (`ulimit -n 1024` in the shell that starts it, LimitNOFILE=1024 for systemd)",
  ENFILE: "the machine has as many files open as it may: allow it more (`sysctl fs.file-max`), or end what has many open",
};

/** Returns the message, without a full stop; undefined for any other error. */
export function tooManyOpenFiles(error: unknown): string | undefined {
  // Errors of starting a process or thread have the code only in their message, and some have only its words.
  const text = String(error);
  const [code = text.includes("too many open files") ? "EMFILE" : ""] = /\bE[MN]FILE\b/.exec(text) ?? [];
  return sentences[code];
}
