/** Checks the syntax of policy versions and scopes that a program passes. */
import { scopeForm, versionForm } from "../decide/policy-name.ts";
import { type ProblemList, addProblem } from "./problems.ts";

/** Reports a version that no policy can have. */
export function checkVersion(version: string, at: string, found: ProblemList): void {
  if (!versionForm.test(version)) addProblem(found, at, "must be letters, digits and underscores, as versions of policies are");
}

/** Reports a scope that no policy can have. */
export function checkScope(scope: string, at: string, found: ProblemList): void {
  if (!scopeForm.test(scope)) addProblem(found, at, "must be names of letters, digits, `_` and `-`, with single dots between");
}
