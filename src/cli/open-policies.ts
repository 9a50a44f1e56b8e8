/** Compiles and loads a directory of policies, for commands that decide. */
import { compile, type Compiled } from "../../compiler/index.ts";
import { printDiagnostic } from "../../compiler/print-diagnostics.ts";
import type { SchemaEnforcement } from "../../runtime/decide/input.ts";
import { evaluateInThisRealm, load, type Loaded } from "../../runtime/load.ts";
import { loadConfigOrThrow } from "../config/load.ts";
import { digest } from "../texts/digest.ts";
import { refusal } from "../refusal.ts";
import { enforceSchemas, schemaReferences } from "../schemas/enforce.ts";
import { openDiskStore } from "../store/disk.ts";
import { printUnreadable } from "../store/store.ts";
import type { TestOptions } from "../testing/suite.ts";
import type { CommandLine } from "./command.ts";

/** Loaded policies. */
export interface OpenPolicies {
  readonly compiled: Compiled;
  readonly evaluator: Loaded;
  /** Absent: attributes are not validated. */
  readonly schemas: SchemaEnforcement | undefined;
  /** What a server with this configuration decides by. */
  readonly settings: Omit<TestOptions, "now">;
}

/** Options of loading. */
export interface OpenPoliciesFlags {
  readonly ignoreSchemas: boolean;
  readonly config?: string;
}

/** Opens a directory; rejects with a refusal that contains every error when the policies do not compile. */
export async function openPolicies(
  line: CommandLine,
  directory: string,
  { ignoreSchemas, config: file }: OpenPoliciesFlags,
): Promise<OpenPolicies> {
  const { changed, changedSchemas, unreadable } = await openDiskStore({ directory }).read();
  const { compiled, diagnostics } = compile(changed, { digest });
  const errors = [...unreadable.map(printUnreadable), ...diagnostics.filter(({ severity }) => severity === "error").map(printDiagnostic)];
  if (compiled === undefined || errors.length > 0) throw refusal(`the policies do not compile:\n\n${errors.join("\n\n")}`);
  const { config } = loadConfigOrThrow(file, [], line.environment);
  const places = { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] };
  const files = new Map(changedSchemas.map(({ path, text }) => [path, text]));
  return {
    compiled,
    settings: {
      globals: config["engine.globals"],
      defaultPolicyVersion: config["engine.defaultPolicyVersion"],
      defaultScope: config["engine.defaultScope"],
      lenientScopeSearch: config["engine.lenientScopeSearch"],
      strictEvaluation: config["engine.strictEvaluation"],
    },
    evaluator: load(compiled.bundle, evaluateInThisRealm),
    schemas: ignoreSchemas ? undefined : await enforceSchemas(schemaReferences(compiled.bundle), { files, places }),
  };
}
