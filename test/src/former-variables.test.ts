/** A deployment brought along from Cerbos is told of the environment variables that are not read. */
import { expect, test } from "vitest";
import { variablesOfServer, warningsOfFormerVariables } from "../../src/config/former-variables.ts";

// oxfmt-ignore
test.each([
  ["nothing is set",                             {},                                                       undefined, []],
  ["ours are set",                               { AUTHZ_CONFIG: "a.yaml", AUTHZ_LOG_LEVEL: "warn" },       "a.yaml",  []],
  ["the file by its former name",                { CERBOS_CONFIG: "a.yaml" },                               undefined, ["CERBOS_CONFIG is not read: set AUTHZ_CONFIG"]],
  ["the same, and a file on the command line",   { CERBOS_CONFIG: "a.yaml" },                               "b.yaml",  []],
  ["the level by its former name",               { CERBOS_LOG_LEVEL: "debug" },                             "b.yaml",  ["CERBOS_LOG_LEVEL is not read: set AUTHZ_LOG_LEVEL"]],
  ["by both names",                              { CERBOS_LOG_LEVEL: "debug", AUTHZ_LOG_LEVEL: "warn" },    undefined, []],
  ["by its former name, and ours is empty",      { CERBOS_CONFIG: "a.yaml", AUTHZ_CONFIG: "" },             undefined, ["CERBOS_CONFIG is not read: set AUTHZ_CONFIG"]],
  ["empty",                                      { CERBOS_CONFIG: "" },                                     undefined, []],
  ["what a server has no use for",               { CERBOS_NO_TELEMETRY: "1", CERBOS_SERVER: "pdp:3593" },   undefined, []],
] as const)("%s", (_sentence, environment, file, warnings) => {
  expect(warningsOfFormerVariables(environment, variablesOfServer(file))).toEqual(warnings);
});
