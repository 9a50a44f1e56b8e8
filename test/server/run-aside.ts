/** Runs another program while this process goes on serving it. */
import { spawn } from "node:child_process";

export function runAside(command: string, argv: readonly string[]): Promise<{ readonly code: number | null; readonly stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, argv, { stdio: ["ignore", "pipe", "ignore"] });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout }));
  });
}
