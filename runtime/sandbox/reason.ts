/** Converts anything that was thrown into a message, without trusting it. */

const longest = 300;

/** Returns a bounded one-line reason, never with a stack. */
export function reasonOf(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return "something that is not an error was thrown";
    const { name, message } = thrown;
    if (typeof name !== "string" || typeof message !== "string") return "an error without words was thrown";
    return `${name}: ${message}`.slice(0, longest);
  } catch {
    return "an error that cannot be read was thrown";
  }
}
