/** The derived roles of a policy, as generated code lists them. */
import { listOf } from "../decide/list-of.ts";

const none: readonly string[] = Object.freeze([]);

/** No role at all. */
export const noRoles = (): readonly string[] => none;

/** The names among answers of which `false` means "not this one". */
export function rolesAmong(answers: readonly (string | false)[]): readonly string[] {
  let count = 0;
  for (let at = 0; at < answers.length; at++) if (answers[at] !== false) count++;
  if (count === 0) return none;
  const active = listOf<string>(count);
  let next = 0;
  for (let at = 0; at < answers.length; at++) {
    const answer = answers[at];
    if (answer !== false && answer !== undefined) active[next++] = answer;
  }
  return active;
}
