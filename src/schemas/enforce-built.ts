/** Enforces schemas with validators that are compiled already: for built modules, where code cannot be generated at run time. */
import type { ErrorObject } from "ajv";
import { withWork } from "../../runtime/cel/work.ts";
import type { SchemaEnforcement } from "../../runtime/decide/input.ts";
import { maxWork } from "./cost.ts";
import { collectFindings, validateAttributes } from "./validate-attributes.ts";

/** A validator as compiled by ajv. */
export interface CompiledValidator {
  (value: unknown): boolean;
  readonly errors?: readonly ErrorObject[] | null;
}

/** Enforces schemas, given a validator for each reference in a policy. */
export function enforceBuilt(
  enforcement: SchemaEnforcement["enforcement"],
  validators: readonly (readonly [ref: string, validate: CompiledValidator])[],
): SchemaEnforcement {
  const byRef = new Map(validators);
  return {
    enforcement,
    validate: (_input, source, ref, attributes) => {
      const validator = byRef.get(ref);
      // Fails closed: a missing schema must not let anything pass.
      if (validator === undefined) return [{ path: "", message: `the schema \`${ref}\` is not there`, source }];
      const validate = (value: unknown) =>
        collectFindings(
          () => validator(value),
          () => validator.errors,
        ) ?? [];
      const findings = withWork(maxWork, 0, () => validateAttributes(validate, { ref, attributes }));
      return findings.map(({ path, message }) => ({ path, message, source }));
    },
  };
}
