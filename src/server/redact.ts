/** Takes the secrets out of a payload before it is logged. */

const secret: ReadonlySet<string> = new Set(["token", "password", "passwordHash", "authorization"]);

/** Returns JSON text without its tokens and passwords; what is not JSON is not shown at all. */
export function redact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, (key, value: unknown) => (secret.has(key) && typeof value === "string" ? "***" : value)));
  } catch {
    return `(${text.length} characters that are not JSON)`;
  }
}
