/** Finds lines that contain the reference's name and were not changed, for the user to review. */
import { lineAt, positionAt } from "../../compiler/source.ts";
import { targetOf } from "../schemas/reference.ts";

/** One such line. */
export interface Leftover {
  readonly path: string;
  readonly line: number;
  /** Trimmed and truncated. */
  readonly text: string;
  /** What to write instead, where that is known. */
  readonly hint?: string;
}

const longest = 120;

/** Returns the lines of a text that contain the name after the edits. */
export function findLeftovers(path: string, text: string): readonly Leftover[] {
  const source = { path, text };
  const lines = new Set(Array.from(text.matchAll(/cerbos/gi), ({ index }) => positionAt(source, index).line));
  return Array.from(lines, (line) => {
    const written = lineAt(source, line).trim();
    const hint = hintFor(written);
    return {
      path,
      line,
      text: written.length > longest ? `${written.slice(0, longest)}...` : written,
      ...(hint !== undefined && { hint }),
    };
  });
}

/** Names that differ here: pattern and hint. */
const names: readonly (readonly [written: RegExp, hint: (found: string) => string])[] = [
  [/\/_cerbos\/health/, () => "here it is `/_authz/health`"],
  [/cerbos\.svc\.v1\.CerbosService/, () => "here it is `authz.svc.v1.AuthzService`"],
  [/\bCERBOS_(CONFIG|LOG_LEVEL|TEMP_LOG_LEVEL_DURATION|SERVER|USERNAME|PASSWORD|HC_[A-Z]+)\b/, (found) => `here it is \`AUTHZ_${found}\``],
  [/\bcerbos (compile|server|healthcheck|repl|run)\b/, (found) => `\`authz ${found}\` takes its place`],
  [/\bcerbosctl (get|put|delete|disable|enable|inspect|store|audit)\b/, (found) => `\`authzctl ${found}\` takes its place`],
];

function hintFor(line: string): string | undefined {
  for (const [written, hint] of names) {
    const found = written.exec(line);
    if (found !== null) return hint(found[1] ?? "");
  }
  const schema = hintForHost(line);
  if (schema !== undefined) return schema;
  if (/\$schema/.test(line) && /TestSuite/i.test(line)) return "for an editor: `authz schema suite` prints ours";
  if (/\$schema/.test(line) && /TestFixture/i.test(line)) return "for an editor: `authz schema fixtures` prints ours";
  if (/\$schema/.test(line) && /Policy\.schema/i.test(line)) return "for an editor: `authz schema policy` prints ours";
  if (/\$schema/.test(line)) return "for an editor: `authz schema` prints ours";
  return undefined;
}

/** The hint for a schema's URL with a host, which only the reference accepts. */
function hintForHost(line: string): string | undefined {
  const [, path, rest = ""] = /cerbos:\/\/[^/\s"']+\/([^\s"',}?#]+)([^\s"',}]*)/i.exec(line) ?? [];
  const target = path === undefined ? undefined : targetOf(`authz:///${path}`);
  if (target?.kind !== "store") return undefined;
  return `Cerbos ignores the host and reads the file \`_schemas/${target.path}\`; authz refuses it: write \`authz:///${path}${rest}\``;
}
