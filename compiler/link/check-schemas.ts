/** Checks schema references with a function of the caller, who knows the schemas. */
import type { Report, Severity } from "../diagnostic.ts";
import type { PolicyDocument, SchemaReferenceNode } from "../policy/document.ts";

/** What a store knows about its schemas. */
export interface SchemaCheck {
  /** Returns why the schema of a reference cannot be used ("there is no file ..."), and what to do; undefined if it can. */
  readonly problemOf: (ref: string) => { readonly message: string; readonly hint?: string } | undefined;
  /** A warning if policies may be stored before their schemas, an error if nothing may be missing (D13). */
  readonly severity: Severity;
}

/** Reports unusable schema references of all resource policies, whether or not their schemas are in effect. */
export function checkSchemas(documents: readonly PolicyDocument[], { problemOf, severity }: SchemaCheck, report: Report): void {
  const check = (noun: string, reference: SchemaReferenceNode | undefined): void => {
    const problem = reference && problemOf(reference.ref.value);
    if (reference === undefined || problem === undefined) return;
    report({
      code: "invalid-schema",
      severity,
      span: reference.ref.span,
      path: reference.ref.path,
      message: `the ${noun} schema \`${reference.ref.value}\` cannot be used: ${problem.message}`,
      ...(problem.hint !== undefined && { hint: problem.hint }),
    });
  };
  for (const document of documents) {
    if (document.kind !== "resource" || document.isDisabled) continue;
    check("principal", document.schemas.principal);
    check("resource", document.schemas.resource);
  }
}
