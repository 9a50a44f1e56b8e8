/** The derived roles of a policy, as generated code lists them. */
const none: readonly string[] = Object.freeze([]);

/** No role at all. */
export const noRoles = (): readonly string[] => none;

/** The names among answers of which `false` means "not this one". */
export function rolesAmong(answers: readonly (string | false)[]): readonly string[] {
  const active: string[] = [];
  for (let at = 0; at < answers.length; at++) {
    const answer = answers[at];
    if (typeof answer === "string") active.push(answer);
  }
  return active.length > 0 ? active : none;
}
