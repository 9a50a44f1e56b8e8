/** Puts environment variables into a text: `${NAME}`, `${NAME:default}`, and `$$` for a dollar (D11). */
import type { Environment } from "./environment.ts";

/** A text after expansion, and what went wrong on the way. */
export interface Expansion {
  readonly text: string;
  /** The text named a variable, so quotes no longer decide its type. */
  readonly changed: boolean;
  /** A variable that is set stands in the text without braces, and stays as it is: the reference puts it in. */
  readonly isBare: boolean;
  readonly errors: readonly string[];
}

/** Expands a text. `$NAME` stays as it is: a password may hold a dollar. */
export function expand(text: string, environment: Environment): Expansion {
  if (!text.includes("$")) return { text, changed: false, isBare: false, errors: [] };
  const errors: string[] = [];
  let [changed, isBare] = [false, false];
  const expanded = text.replace(
    /\$\$|\$([A-Za-z_]\w*)|\$\{([^}]*)(\}?)/g,
    (match: string, ...[bare, inner, end]: (string | undefined)[]) => {
      if (match === "$$") return "$";
      if (bare !== undefined) {
        isBare ||= Object.hasOwn(environment, bare);
        return match;
      }
      changed = true;
      const [, name = "", fallback] = /^([^:]*)(?::(.*))?$/s.exec(inner ?? "") ?? [];
      // What is no name is not repeated: it may be a part of a password.
      if (end === "") errors.push("`${` has no closing brace: write `$$` for a dollar");
      else if (!/^[A-Za-z_]\w*$/.test(name))
        errors.push("there is no name of an environment variable between `${` and `}`: write `$$` for a dollar");
      else if (Object.hasOwn(environment, name)) return environment[name] ?? "";
      else if (fallback !== undefined) return /^(""|'')$/.test(fallback) ? "" : fallback;
      else errors.push(`the environment variable \`${name}\` is not set`);
      return "";
    },
  );
  return { text: expanded, changed, isBare, errors };
}
