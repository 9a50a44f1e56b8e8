/** Files in, what linking makes of them and finds wrong with them out; and short ways to write policies. */
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import { link } from "../../../compiler/link/link.ts";
import type { PolicySet } from "../../../compiler/link/policy-set.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import { printDiagnostics } from "../../../compiler/print-diagnostics.ts";
import { positionAt } from "../../../compiler/source.ts";

export interface Files {
  readonly [path: string]: string;
}

/** What came out. */
export interface Linked {
  readonly set: PolicySet;
  /** `a.yaml 5:24 unknown-import (limits?)`, sorted. */
  readonly problems: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly printed: string;
}

export function linked(files: Files): Linked {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const set = link(
    Object.entries(files).flatMap(([path, text]) => readPolicy({ path, text }, report) ?? []),
    report,
  );
  const problems = diagnostics.map(({ code, span, source, hint }) => {
    const at = span && positionAt(span.source, span.start);
    const near = /^did you mean `(.*)`/.exec(hint ?? "")?.[1];
    return `${(span?.source ?? source)?.path} ${at === undefined ? "-" : `${at.line}:${at.column}`} ${code}${near === undefined ? "" : ` (${near}?)`}`;
  });
  return { set, problems: problems.toSorted(), diagnostics, printed: printDiagnostics(diagnostics) };
}

const head = "apiVersion: api.authz.dev/v1\n";
export const resource = (body: string, name = "a"): string => `${head}resourcePolicy:\n  resource: ${name}\n  version: default\n${body}`;
export const principal = (body: string, name = "ann"): string =>
  `${head}principalPolicy:\n  principal: ${name}\n  version: default\n${body}`;
export const role = (body: string, name = "clerk"): string => `${head}rolePolicy:\n  role: ${name}\n  version: default\n${body}`;
export const when = (expression: string, rest = ""): string =>
  `${rest}  rules:\n    - actions: [x]\n      roles: [r]\n      effect: EFFECT_ALLOW\n      condition: {match: {expr: '${expression}'}}\n`;
export const variables = (name: string, body: string): string => `${head}exportVariables:\n  name: ${name}\n  definitions: {${body}}\n`;
export const constants = (name: string, body: string): string => `${head}exportConstants:\n  name: ${name}\n  definitions: {${body}}\n`;
export const roles = (name: string, body: string): string => `${head}derivedRoles:\n  name: ${name}\n  definitions: [${body}]\n`;
