/** Explains an answer by the rules that were considered, in one line each: for reports of failed tests, and for programs. */
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import type { PolicySet } from "../link/policy-set.ts";
import { printPlace } from "../source.ts";
import { explain, type Explained } from "./decide.ts";
import type { Reason } from "./reason.ts";
import { whyNotAllowed } from "./why-not-allowed.ts";

/** The most rules that are listed. */
const maxLines = 20;

/** Returns one line per rule about the action, in the order of evaluation, and why nothing allows it, if that is so. */
export function explainAction(
  set: PolicySet,
  input: CheckInput,
  action: string,
  options: CheckOptions,
  explained: Explained = explain(set, input, options),
): readonly string[] {
  const { reasons } = explained;
  const about = reasons.filter((reason) => reason.action === action && !reason.outcome.startsWith("other"));
  // A rule is evaluated once for each role that it applies to, mostly with the same outcome.
  const rolesOf = new Map<string, string[]>();
  for (const reason of about) {
    const line = printReason(reason);
    rolesOf.set(line, [...(rolesOf.get(line) ?? []), roleOf(reason)]);
  }
  const lines = [...rolesOf].map(([line, roles]) => line.replace(rolesPlaceholder, () => printRoles(roles)));
  const more = lines.length - maxLines;
  const missing = whyNotAllowed(set, input, options, action, explained);
  return [...lines.slice(0, maxLines), ...(more > 0 ? [`and ${more} more`] : []), ...missing];
}

/** A placeholder for the roles, which are inserted last; no name can contain it. */
const rolesPlaceholder = "\0";

const roleOf = ({ type, role, derivedRole }: Reason): string =>
  type === "principal" ? "" : derivedRole === undefined ? role : `${derivedRole} (${role})`;

const printRoles = (roles: readonly string[]): string => (roles[0] === "" ? "" : ` as ${[...new Set(roles)].join(", ")}`);

function printReason({ says, policy, rule, outcome, needsConsent, errors, span, unmetExpressions }: Reason): string {
  const name = rule === undefined ? policy : `${policy}#${rule}`;
  const answer = says === "none" ? "says nothing" : says === "allow" ? "allows" : "denies";
  const why = (unmetExpressions?.() ?? []).map((text) => `\`${oneLine(text)}\``).join(", ");
  const met = errors.map(({ expression, message }) => `; \`${oneLine(expression)}\`: ${message}`).join("");
  return `${printPlace(span)} ${name}${rolesPlaceholder} ${answer}: ${outcome}${why === "" ? "" : ` (${why})`}${needsConsent ? ", with the parents' consent" : ""}${met}`;
}

/** Joins the lines of an expression, which may come from a YAML block scalar. */
const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, " ");
