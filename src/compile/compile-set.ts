/** Policies of a store -> a bundle, or findings: the compiler's diagnostics as plain data that crosses a thread. */
import { sourceOf, type Diagnostic } from "../../compiler/diagnostic.ts";
import { compile, type Compilation, type CompileOptions } from "../../compiler/index.ts";
import { misplacedSchemas } from "../../compiler/policy/misplaced-schemas.ts";
import { isMisplacedSchemas } from "../../compiler/policy/paths.ts";
import { printDiagnostic } from "../../compiler/print-diagnostics.ts";
import { printPlace, type Source } from "../../compiler/source.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { messageOf } from "../refusal.ts";
import { printUnreadable, type Unreadable } from "../store/store.ts";

/** One diagnostic, printed. */
export interface Finding {
  readonly severity: "error" | "warning";
  readonly code: string;
  /** `expense.yaml:3:5`. */
  readonly place: string;
  readonly message: string;
  readonly hint?: string;
  /** With the frame of source text around it. */
  readonly printed: string;
}

/** What compiling came to. */
export type CompiledSet =
  | { readonly kind: "good"; readonly bundle: Bundle; readonly warnings: readonly Finding[] }
  | {
      readonly kind: "broken";
      readonly findings: readonly Finding[];
      /** The findings that are the compiler's, and those that are not. */
      readonly diagnostics: readonly Diagnostic[];
      readonly besides: readonly Finding[];
    };

/** Compiles a whole store; a file that cannot be read keeps the set from being used too. */
export function compileSet(
  sources: readonly Source[],
  options: CompileOptions,
  unreadable: readonly Unreadable[],
  findingsOf: (diagnostics: readonly Diagnostic[]) => readonly Finding[] = printFindings,
): CompiledSet {
  const besides = unreadable.map(unreadableFinding);
  let compilation: Compilation;
  try {
    compilation = compile(sources, options);
  } catch (error) {
    // A bug of ours must not take the last good set away: it is reported like a broken policy, and the next change tries again.
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

/** Returns findings that are printed once: thousands of warnings stay the same from one set to the next, and are the same objects then; so is their list when all are. */
export function rememberFindings(): (diagnostics: readonly Diagnostic[]) => readonly Finding[] {
  let last: { readonly diagnostics: readonly Diagnostic[]; readonly findings: readonly Finding[] } = { diagnostics: [], findings: [] };
  const printed = new WeakMap<Diagnostic, Finding>();
  // What is found in schemas is found anew each time.
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
    const { front, back } = sameEnds(last.diagnostics, diagnostics);
    const between = diagnostics.slice(front, diagnostics.length - back).map(findingOf);
    const findings = [...last.findings.slice(0, front), ...between, ...last.findings.slice(last.findings.length - back)];
    last = { diagnostics, findings };
    return findings;
  };
}

/** Those that were not there before. */
export function newFindings(before: readonly Finding[], now: readonly Finding[]): readonly Finding[] {
  if (before === now) return [];
  const { front, back } = sameEnds(before, now);
  const known = new Set(before.slice(front, before.length - back));
  return now.slice(front, now.length - back).filter((finding) => !known.has(finding));
}

/** How many stand at the front of both lists, and behind these at the back: most stand where they stood, and are not looked up. */
function sameEnds<One>(before: readonly One[], now: readonly One[]): { readonly front: number; readonly back: number } {
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
