/**
 * Environment variables by their names in Cerbos. We do not read them: whoever brings a deployment along and keeps them
 * would be served with the defaults, such as without the enforcement of schemas that the file they name asks for.
 */
import type { Environment } from "./environment.ts";

/** Returns a sentence for each of these variables of ours that is set by its former name alone. */
export function warningsOfFormerVariables(environment: Environment, names: readonly string[]): readonly string[] {
  return names
    .filter((name) => isSet(environment[formerName(name)]) && !isSet(environment[name]))
    .map((name) => `${formerName(name)} is not read: set ${name}`);
}

/** The variables of a server, which Cerbos has too. `file` is the configuration file in use. */
export const variablesOfServer = (file: string | undefined): readonly string[] =>
  file === undefined ? ["AUTHZ_CONFIG", "AUTHZ_LOG_LEVEL"] : ["AUTHZ_LOG_LEVEL"];

/**
 * Returns the value of a variable; an empty one counts as not set, because files for containers can only leave it empty. First warns if
 * it is set by its former name alone.
 */
export function readVariable({ environment, err }: VariableReader, name: string): string | undefined {
  for (const warning of warningsOfFormerVariables(environment, [name])) err(`warning: ${warning}\n`);
  const value = environment[name];
  return isSet(value) ? value : undefined;
}

/** The variables of a command, and where it writes warnings. */
interface VariableReader {
  readonly environment: Environment;
  readonly err: (text: string) => void;
}

const formerName = (name: string): string => name.replace(/^AUTHZ/, "CERBOS");

const isSet = (value: string | undefined): boolean => value !== undefined && value !== "";
