/** Area policy_formats: YAML and JSON say the same, one policy a file, bad ones refused. */
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import { messageOfDocument } from "../../../compiler/policy/message.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import { parseYaml } from "../../../compiler/yaml/parse.ts";
import type { Area } from "../area.ts";
import { canonical, policyCases } from "../policy-cases.ts";

type Case =
  | { readonly kind: "pair"; readonly yaml: string; readonly json: string }
  | { readonly kind: "single"; readonly yaml: string; readonly wantError: boolean }
  | { readonly kind: "validate"; readonly policy: unknown; readonly wantError: boolean };

export const policyFormats: Area = { name: "policy_formats", cases: (folder) => policyCases(folder, "policy_formats", run) };

function run(wanted: Case): void {
  switch (wanted.kind) {
    case "pair": {
      const [yaml, json] = [read(wanted.yaml), read(wanted.json)];
      if (yaml.errors.length > 0 || json.errors.length > 0) throw new Error([...yaml.errors, ...json.errors].join("\n"));
      if (yaml.message !== json.message) throw new Error(`YAML:\n${yaml.message}\nJSON:\n${json.message}`);
      return;
    }
    case "single": {
      const errors: string[] = [];
      const document = readPolicy({ path: "policy.yaml", text: wanted.yaml }, (diagnostic) => errors.push(diagnostic.message));
      if (wanted.wantError !== errors.length > 0 || wanted.wantError === (document !== undefined))
        throw new Error(`errors: ${errors.join("; ")}`);
      return;
    }
    case "validate": {
      const { errors } = read(JSON.stringify(wanted.policy));
      if (wanted.wantError !== errors.length > 0) throw new Error(`errors: ${errors.join("; ")}`);
    }
  }
}

function read(text: string): { readonly message: string; readonly errors: readonly string[] } {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const messages = parseYaml({ path: "policy", text }, report).map((document) => {
    const { $schema: _, ...message } = messageOfDocument(document, report) ?? {};
    return canonical(message);
  });
  return { message: JSON.stringify(messages), errors: diagnostics.map((diagnostic) => diagnostic.message) };
}
