/**
 * Environment variables by their names in Cerbos. We do not read them: whoever brings a deployment along and keeps them
 * would be served with the defaults, such as without the enforcement of schemas that the file they name asks for.
 */
import type { Environment } from "./environment.ts";

/** Our variables of a server, which Cerbos has too, with the prefix `CERBOS`. */
const ofServers = ["AUTHZ_CONFIG", "AUTHZ_LOG_LEVEL"] as const;

/** Returns a sentence for each variable of a server that is set by its former name alone. `file` is the configuration file in use. */
export function warningsOfFormerVariables(environment: Environment, file: string | undefined): readonly string[] {
  return ofServers
    .filter((name) => isSet(environment[formerName(name)]) && !isSet(environment[name]) && (name !== "AUTHZ_CONFIG" || file === undefined))
    .map((name) => `${formerName(name)} is not read: set ${name}`);
}

const formerName = (name: string): string => name.replace(/^AUTHZ/, "CERBOS");

const isSet = (value: string | undefined): boolean => value !== undefined && value !== "";
