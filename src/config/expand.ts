/** Substitutes environment variables in a string: `${NAME}`, `${NAME:default}`, and `$$` for a dollar (D11). */
import type { Environment } from "./environment.ts";

/** A string after substitution, with the errors found. */
export interface Expansion {
  readonly text: string;
  /** A variable was substituted: quotes no longer decide the type of the value. */
  readonly isChanged: boolean;
  /** The string contains `$NAME`, without braces, of a variable that is set. It is left as it is, whereas the reference substitutes it. */
  readonly hasBareVariable: boolean;
  /** A default begins as in shells (`${NAME:-default}`). It is taken as written, with that character. */
  readonly hasShellDefault: boolean;
  readonly errors: readonly string[];
}

/** Substitutes variables. `$NAME` is left as it is, because a password may contain a dollar. */
export function expand(text: string, environment: Environment): Expansion {
  if (!text.includes("$")) return { text, isChanged: false, hasBareVariable: false, hasShellDefault: false, errors: [] };
  const errors: string[] = [];
  let [isChanged, hasBareVariable, hasShellDefault] = [false, false, false];
  const expanded = text.replace(
    /\$\$|\$([A-Za-z_]\w*)|\$\{([^}]*)(\}?)/g,
    (match: string, ...[bare, inner, end]: (string | undefined)[]) => {
      if (match === "$$") return "$";
      if (bare !== undefined) {
        hasBareVariable ||= Object.hasOwn(environment, bare);
        return match;
      }
      isChanged = true;
      const [, name = "", fallback] = /^([^:]*)(?::(.*))?$/s.exec(inner ?? "") ?? [];
      // A negative number alone is probably meant.
      if (/^[-+=?]/.test(fallback ?? "") && !(match === text && /^-\d/.test(fallback ?? ""))) hasShellDefault = true;
      // An invalid name is not quoted: it may be part of a password.
      if (end === "") errors.push("`${` has no closing brace: write `$$` for a dollar");
      else if (!/^[A-Za-z_]\w*$/.test(name))
        errors.push("there is no name of an environment variable between `${` and `}`: write `$$` for a dollar");
      // The first brace closes, so the rest would be put behind the value.
      else if (fallback?.includes("${") === true)
        errors.push("the default of a variable cannot hold another variable: write `${NAME:default}` with a fixed default");
      else if (Object.hasOwn(environment, name)) return environment[name] ?? "";
      else if (fallback !== undefined) return /^(""|'')$/.test(fallback) ? "" : fallback;
      else errors.push(`the environment variable \`${name}\` is not set`);
      return "";
    },
  );
  return { text: expanded, isChanged, hasBareVariable, hasShellDefault, errors };
}
