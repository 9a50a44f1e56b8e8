/** Validators that are code already -> how attributes are held against schemas: in a built module, where no text may become program. */
import type { ErrorObject } from "ajv";
import { withWork } from "../../runtime/cel/work.ts";
import type { SchemaEnforcement } from "../../runtime/decide/input.ts";
import { mostWork } from "./account.ts";
import { findingsOf, judgeAttributes } from "./judge.ts";

/** What ajv writes for one schema. */
export interface BuiltValidator {
  (value: unknown): boolean;
  readonly errors?: readonly ErrorObject[] | null;
}

/** Enforces; there is a validator for each reference that a policy writes. */
export function enforceBuilt(
  enforcement: SchemaEnforcement["enforcement"],
  validators: readonly (readonly [ref: string, validate: BuiltValidator])[],
): SchemaEnforcement {
  const byRef = new Map(validators);
  return {
    enforcement,
    validate: (_input, source, ref, attributes) => {
      const validator = byRef.get(ref);
      // Fails closed: that a schema is not there must not let anything pass.
      if (validator === undefined) return [{ path: "", message: `the schema \`${ref}\` is not there`, source }];
      const validate = (value: unknown) =>
        findingsOf(
          () => validator(value),
          () => validator.errors,
        ) ?? [];
      const findings = withWork(mostWork, 0, () => judgeAttributes(validate, { ref, attributes }));
      return findings.map(({ path, message }) => ({ path, message, source }));
    },
  };
}
