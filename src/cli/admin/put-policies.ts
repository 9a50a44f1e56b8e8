/** Uploads policies from files to the store: none when one of them is invalid; then batch by batch, several in parallel. */
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import { isPolicyPath } from "../../../compiler/policy/paths.ts";
import { printDiagnostic } from "../../../compiler/print-diagnostics.ts";
import { printPlace, type Source } from "../../../compiler/source.ts";
import { AuthzAdminService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { count } from "../../count.ts";
import { refusal } from "../../refusal.ts";
import { withClient, type AdminContext } from "./connection.ts";
import { printFailure, type Detail, type Failure } from "./failure.ts";
import { findFiles, readText, standardInput, type FoundFile } from "./find-files.ts";
import { findSpan } from "./find-span.ts";
import { printable } from "./printable.ts";
import { sendBatches } from "./send-batches.ts";
import { readLocalPolicies, type LocalPolicy } from "./read-policies.ts";

/** Uploads the policies that paths stand for. */
export async function putPolicies(context: AdminContext, paths: readonly string[], isRecursive: boolean): Promise<void> {
  const files = await findFiles(paths, isRecursive);
  const selected = files.filter(({ relativePath, isNamed }) => isNamed || isPolicyPath(relativePath));
  const policies = await readAllOf(context, selected);
  if (policies.length === 0) throw refusal("there is no policy in these files and folders");
  const ordered = policies.toSorted((left, right) => left.rank - right.rank);
  await withClient(context, async ({ tryCall }) => {
    const { accepted, refused } = await sendBatches({
      items: ordered,
      bytesOf: ({ bytes }) => bytes,
      rankOf: ({ rank }) => rank,
      send: (batch) => tryCall(AuthzAdminService.method.addOrUpdatePolicy, { policies: batch.map(({ message }) => message) }),
    });
    if (refused !== undefined) throw refusal(printRefused(refused.failure, refused.batch, accepted, ordered.length));
    context.line.out(`Uploaded: ${accepted}\nIgnored: ${ignored(files, selected)}\n`);
  });
}

/** Returns how many files have the extension of a policy, but are tests, test data or schemas. */
const ignored = (files: readonly FoundFile[], selected: readonly FoundFile[]): number =>
  files.filter((file) => /\.(?:ya?ml|json)$/i.test(file.relativePath) && !selected.includes(file)).length;

async function readAllOf({ line, tty }: AdminContext, files: readonly FoundFile[]): Promise<readonly LocalPolicy[]> {
  const diagnostics: Diagnostic[] = [];
  const policies: LocalPolicy[] = [];
  for (const file of files) {
    const read = await readText(file, tty.input);
    const source: Source = { path: file.path === "-" ? standardInput : file.path, text: "text" in read ? read.text : "" };
    if ("problem" in read) diagnostics.push({ code: "invalid-document", severity: "error", source, message: read.problem });
    else {
      const before = diagnostics.length;
      const found = readLocalPolicies(source, file.path === "-", (diagnostic) => void diagnostics.push(diagnostic));
      if (found.length === 0 && file.isNamed && diagnostics.length === before)
        diagnostics.push({ code: "invalid-document", severity: "error", source, message: "there is no policy in it" });
      policies.push(...found);
    }
  }
  diagnostics.push(...duplicatesIn(policies));
  for (const diagnostic of diagnostics) line.err(`${printDiagnostic(diagnostic)}\n\n`);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw refusal(`${count(errors.length, "error")} in ${count(files.length, "file")}: nothing was uploaded`);
  return policies;
}

/** Two policies with the same key are refused: the server would silently keep the second. */
function duplicatesIn(policies: readonly LocalPolicy[]): readonly Diagnostic[] {
  const first = new Map<string, LocalPolicy>();
  return policies.flatMap((policy): readonly Diagnostic[] => {
    const earlier = first.get(policy.key);
    first.set(policy.key, earlier ?? policy);
    if (earlier === undefined) return [];
    const message = `\`${policy.key}\` is defined twice: also at ${printable(printPlace(earlier.node.span))}`;
    return [{ code: "duplicate-policy", severity: "error", span: policy.node.token, message }];
  });
}

/** Prints the server's refusal, with the position in the file for each problem. */
function printRefused(failure: Failure, batch: readonly LocalPolicy[], uploaded: number, all: number): string {
  const details = failure.details.map((detail): Detail => withPosition(detail, batch));
  const done = uploaded === 0 ? "nothing was uploaded" : `${uploaded} of ${all} policies were uploaded before`;
  return `${printFailure({ ...failure, details })}\n${done}`;
}

function withPosition({ path, message }: Detail, batch: readonly LocalPolicy[]): Detail {
  const [, index, inner = ""] = /^policies\[(\d+)\](.*)$/s.exec(path) ?? [];
  const policy = index === undefined ? undefined : batch[Number(index)];
  return policy === undefined ? { path, message } : { path: printPlace(findSpan(policy.node, inner)), message };
}
