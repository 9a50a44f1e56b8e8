/** Loads a `Config`: the file, then `--set` over it, both interpreted by the table of settings; reports all problems at once. */
import { statSync } from "node:fs";
import { limits } from "../../compiler/yaml/limits.ts";
import { readWithin } from "../texts/read-within.ts";
import { codeOf, refusal } from "../refusal.ts";
import type { Environment } from "./environment.ts";
import { interpret } from "./interpret.ts";
import type { ConfigMap } from "./node.ts";
import { printProblem, type Problem } from "./problem.ts";
import { applyOverrides } from "./overrides.ts";
import { readYaml } from "./read-yaml.ts";
import { applyRules } from "./rules.ts";
import { defaultsWithoutFile, type Config } from "./settings.ts";

/** A configuration, or the problems that prevent one. */
export interface LoadedConfig {
  /** Absent when a problem is an error. */
  readonly config?: Config;
  readonly problems: readonly Problem[];
}

/** Returns the file named on the command line, else the one in AUTHZ_CONFIG; undefined when there is neither. */
export function configurationFile(named: string | undefined, environment: Environment): string | undefined {
  const usual = environment["AUTHZ_CONFIG"];
  return named ?? (usual === "" ? undefined : usual);
}

/** Loads the configuration from a file, or the defaults without one, with overrides applied. */
export function loadConfig(file: string | undefined, overrides: readonly string[], environment: Environment): LoadedConfig {
  const problems: Problem[] = [];
  const report = (problem: Problem): void => void problems.push(problem);
  const text = file === undefined ? "" : readConfigFile(file, report);
  const base: ConfigMap = file === undefined ? { kind: "map", place: "", entries: [] } : readYaml(file, text, environment, report);
  const tree = applyOverrides(base, overrides, environment, report);
  const interpretation = interpret(tree, file === undefined ? defaultsWithoutFile : {}, report);
  applyRules(interpretation, report);
  const listed = problems
    .map((problem) => [problem, positionOf(problem)] as const)
    .toSorted(([, a], [, b]) => a.line - b.line || a.column - b.column);
  const inOrder = listed.map(([problem]) => problem);
  return problems.some((problem) => problem.severity === "error")
    ? { problems: inOrder }
    : { config: interpretation.config, problems: inOrder };
}

/** The position of a problem in the file; problems elsewhere sort after those. */
function positionOf({ place }: Problem): { readonly line: number; readonly column: number } {
  const [, line = Number.MAX_SAFE_INTEGER, column = 0] = /:(\d+):(\d+)$/.exec(place) ?? [];
  return { line: Number(line), column: Number(column) };
}

/** Loads a configuration; throws a refusal that lists all problems when one of them is an error. */
export function loadConfigOrThrow(
  file: string | undefined,
  overrides: readonly string[],
  environment: Environment,
): Required<LoadedConfig> {
  const { config, problems } = loadConfig(file, overrides, environment);
  if (config === undefined) throw refusal(`the configuration cannot be used\n${problems.map(printProblem).join("\n")}`);
  return { config, problems };
}

function readConfigFile(file: string, report: (problem: Problem) => void): string {
  try {
    if (statSync(file).isDirectory()) {
      report({ severity: "error", place: file, message: "the configuration file is a directory" });
      return "";
    }
    const bytes = readWithin(file, maxBytes);
    if (bytes === undefined) {
      report({ severity: "error", place: file, message: `a configuration file cannot be larger than ${maxBytes} bytes` });
      return "";
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes); // drops a byte order mark
  } catch (error) {
    const code = codeOf(error);
    const message =
      code === "ENOENT"
        ? "the configuration file does not exist"
        : code === "EACCES"
          ? "the configuration file may not be read"
          : code === "ERR_ENCODING_INVALID_ENCODED_DATA"
            ? "the configuration file is not UTF-8 text"
            : `the configuration file cannot be read (${code ?? "unknown error"})`;
    report({ severity: "error", place: file, message });
    return "";
  }
}

/** No file within the limits of YAML is larger. */
const maxBytes = 4 * limits.length;
