/**
 * Compiles the policies of a store to a bundle or findings: the compiler's diagnostics as plain data, which can be sent between
 * threads.
 */
import { sourceOf, type Diagnostic } from "../../compiler/diagnostic.ts";
import { compile, type Compilation, type CompileOptions } from "../../compiler/index.ts";
import { misplacedSchemas } from "../../compiler/policy/misplaced-schemas.ts";
import { isMisplacedSchemas } from "../../compiler/policy/paths.ts";
import { printDiagnostic } from "../../compiler/print-diagnostics.ts";
import { printPlace, type Source } from "../../compiler/source.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { messageOf } from "../refusal.ts";
import { printUnreadable, type Unreadable } from "../store/store.ts";

/** A printed diagnostic. */
export interface Finding {
  readonly severity: "error" | "warning";
  readonly code: string;
  /** The position: `expense.yaml:3:5`. */
  readonly place: string;
  readonly message: string;
  readonly hint?: string;
  /** The diagnostic with the surrounding source lines. */
  readonly printed: string;
}

/** The result of compiling a set. */
export type CompileResult =
  | { readonly kind: "good"; readonly bundle: Bundle; readonly warnings: readonly Finding[] }
  | {
      readonly kind: "broken";
      readonly findings: readonly Finding[];
      /** The diagnostics of the compiler, and the findings from elsewhere. */
      readonly diagnostics: readonly Diagnostic[];
      readonly besides: readonly Finding[];
    };

/** Compiles a whole store. An unreadable file is an error too. */
export function compileSet(
  sources: readonly Source[],
  options: CompileOptions,
  unreadable: readonly Unreadable[],
  findingsOf: (diagnostics: readonly Diagnostic[]) => readonly Finding[] = printFindings,
): CompileResult {
  const besides = unreadable.map(unreadableFinding);
  let compilation: Compilation;
  try {
    compilation = compile(sources, options);
  } catch (error) {
    // A bug of ours must not lose the last good set: it is reported like an invalid policy, and the next change tries again.
    const message = `the compiler failed: ${messageOf(error)}`;
    const printed = error instanceof Error ? (error.stack ?? message) : message;
    const failure: Finding = { severity: "error", code: "internal-error", place: "policies", message, printed };
    return { kind: "broken", findings: [...besides, failure], diagnostics: [], besides: [...besides, failure] };
  }
  const { diagnostics, compiled } = compilation;
  const findings = findingsOf(diagnostics);
  if (compiled === undefined || besides.length > 0) return { kind: "broken", findings: [...besides, ...findings], diagnostics, besides };
  return { kind: "good", bundle: compiled.bundle, warnings: findings };
}

function unreadableFinding(file: Unreadable): Finding {
  if (isMisplacedSchemas(file.path)) return printFinding(misplacedSchemas(file.path));
  return { severity: "error", code: "unreadable-file", place: file.path, message: file.message, printed: printUnreadable(file) };
}

/**
 * Returns a function that converts diagnostics to findings, with a cache: for thousands of warnings that stay the same, the same
 * objects are returned, and the same list if none has changed.
 */
export function incrementalFindings(): (diagnostics: readonly Diagnostic[]) => readonly Finding[] {
  let last: { readonly diagnostics: readonly Diagnostic[]; readonly findings: readonly Finding[] } = { diagnostics: [], findings: [] };
  const printed = new WeakMap<Diagnostic, Finding>();
  // Diagnostics about schemas are new objects each time.
  const bySource = new WeakMap<Source, Map<string, Finding>>();
  const find = (diagnostic: Diagnostic): Finding => {
    const source = sourceOf(diagnostic);
    if (source === undefined) return printFinding(diagnostic);
    const known = bySource.get(source) ?? new Map<string, Finding>();
    bySource.set(source, known);
    const key = `${diagnostic.code} ${(diagnostic.span ?? diagnostic.focus)?.start} ${diagnostic.message}`;
    const finding = known.get(key) ?? printFinding(diagnostic);
    known.set(key, finding);
    return finding;
  };
  const findingOf = (diagnostic: Diagnostic): Finding => {
    const finding = printed.get(diagnostic) ?? find(diagnostic);
    printed.set(diagnostic, finding);
    return finding;
  };
  return (diagnostics) => {
    if (diagnostics === last.diagnostics) return last.findings;
    const { front, back } = commonEnds(last.diagnostics, diagnostics);
    const between = diagnostics.slice(front, diagnostics.length - back).map(findingOf);
    const findings = [...last.findings.slice(0, front), ...between, ...last.findings.slice(last.findings.length - back)];
    last = { diagnostics, findings };
    return findings;
  };
}

/** Returns the findings that were not in the previous list. */
export function newFindings(before: readonly Finding[], now: readonly Finding[]): readonly Finding[] {
  if (before === now) return [];
  const { front, back } = commonEnds(before, now);
  const known = new Set(before.slice(front, before.length - back));
  return now.slice(front, now.length - back).filter((finding) => !known.has(finding));
}

/** Returns how many elements two lists have in common at the front and at the back; they need not be looked up. */
function commonEnds<One>(before: readonly One[], now: readonly One[]): { readonly front: number; readonly back: number } {
  const most = Math.min(before.length, now.length);
  let front = 0;
  while (front < most && now[front] === before[front]) front++;
  let back = 0;
  while (back < most - front && now[now.length - 1 - back] === before[before.length - 1 - back]) back++;
  return { front, back };
}

const printFindings = (diagnostics: readonly Diagnostic[]): readonly Finding[] => diagnostics.map(printFinding);

function printFinding(diagnostic: Diagnostic): Finding {
  const { severity, code, message, hint, span, source } = diagnostic;
  const place = span === undefined ? (source?.path ?? "policies") : printPlace(span);
  return { severity, code, place, message, ...(hint !== undefined && { hint }), printed: printDiagnostic(diagnostic) };
}
