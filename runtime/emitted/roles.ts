/** The derived roles of a policy, for generated code. */
const none: readonly string[] = Object.freeze([]);

/** Returns no roles. */
export const noRoles = (): readonly string[] => none;

/** Returns the strings of the list, which are the active roles; `false` stands for an inactive one. */
export function rolesAmong(answers: readonly (string | false)[]): readonly string[] {
  const active: string[] = [];
  for (let at = 0; at < answers.length; at++) {
    const answer = answers[at];
    if (typeof answer === "string") active.push(answer);
  }
  return active.length > 0 ? active : none;
}
