/** The schemas that `authz schema` prints. */
import { policyShape } from "../../compiler/policy/read.ts";
import { configSchema } from "./config-schema.ts";
import { toJsonSchema, type JsonSchema } from "./json-schema.ts";
import { policySentences } from "./policy-sentences.ts";
import { lookUp } from "./sentences.ts";
import { suiteSentences } from "./suite-sentences.ts";
import { fixturesShape, suiteShape } from "../testing/suite-shape.ts";

/** The schemas by name. */
export const editorSchemas = {
  policy: (): JsonSchema => toJsonSchema("A policy", policyShape, lookUp(policySentences)),
  suite: (): JsonSchema => toJsonSchema("A test suite", suiteShape, lookUp(suiteSentences)),
  fixtures: (): JsonSchema => toJsonSchema("Fixtures of test suites", fixturesShape, lookUp(suiteSentences)),
  config: configSchema,
} as const;
