/** Warns of an import from which a policy uses nothing. */
import type { Diagnostic } from "../diagnostic.ts";
import type { Located } from "../policy/document.ts";
import type { Rule } from "./rule.ts";
import { usageOf, uses } from "./usage.ts";

/** Checks imports of derived roles, variables and constants. */
export const reportUnusedImports: Rule = (subject, report) => {
  const { document, derivedRoles, variables, constants } = subject;
  if (document.kind === "resource") {
    const named = new Set(document.rules.flatMap((rule) => rule.derivedRoles.map(({ value }) => value)));
    const plain = new Set(document.rules.flatMap((rule) => rule.roles.map(({ value }) => value)));
    for (const [at, set] of derivedRoles.entries()) {
      if (set.definitions.some(({ name }) => named.has(name.value))) continue;
      const meant = set.definitions.find(({ name }) => plain.has(name.value));
      say(
        document.importDerivedRoles[at],
        "derived roles",
        meant && `remove the import, or name \`${meant.name.value}\` in \`derivedRoles\` instead of \`roles\``,
      );
    }
  }
  if ("variables" in document) {
    for (const [at, set] of variables.entries()) {
      const used = usageOf(subject, set).variables;
      if (!set.definitions.some(({ name }) => uses(used, name.value))) say(document.variables.import[at], "variables");
    }
  }
  if ("constants" in document && constants.length > 0) {
    const used = usageOf(subject).constants;
    for (const [at, set] of constants.entries()) {
      if (!set.definitions.some(({ name }) => uses(used, name.value))) say(document.constants.import[at], "constants");
    }
  }

  function say(name: Located<string> | undefined, noun: string, hint = "remove the import"): void {
    if (name !== undefined) report(unused(name, noun, hint));
  }
};

const unused = ({ value, span, path }: Located<string>, noun: string, hint: string): Diagnostic => ({
  code: "unused-import",
  severity: "warning",
  span,
  path,
  message: `nothing in this policy uses the ${noun} of \`${value}\``,
  hint,
});
