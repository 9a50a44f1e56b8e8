/** `authz bundle inspect BUNDLE`: prints the contents of a bundle, with their positions in the sources. */
import { Command, Option } from "commander";
import { fileFormat } from "../bundle/file.ts";
import type { BundleFile } from "../bundle/index.ts";
import { outline, type Part, type PolicyOutline } from "../bundle/outline.ts";
import { count } from "../count.ts";
import { printable, printableLines } from "./admin/printable.ts";
import { countPolicies } from "./build.ts";
import { trustAnybody, readBundleFile } from "./bundle-file.ts";
import type { CommandLine } from "./command.ts";

interface InspectFlags {
  readonly output: "text" | "json";
  readonly rules: boolean;
}

/** Describes the command. */
export const inspectCommand = (line: CommandLine): Command =>
  new Command("inspect")
    .description("show what is in a bundle; its signature is not checked")
    .argument("<bundle>", "the bundle")
    .option("--rules", "also show the text and the place of rules, derived roles, variables and constants", false)
    .addOption(new Option("-o, --output <format>", "how it is shown").choices(["text", "json"]).default("text"))
    .action((file: string, { output, rules }: InspectFlags) => {
      const bundle = readBundleFile(file, trustAnybody);
      line.out(
        output === "json"
          ? `${printableLines(JSON.stringify(manifestOf(bundle, rules), undefined, 2))}\n`
          : printManifest(file, bundle, rules),
      );
    });

/** Returns what is shown, as data. */
function manifestOf({ content, digest, keyId }: BundleFile, withRules: boolean): object {
  const { bundle, schemas, policies } = content;
  return {
    digest,
    signedBy: keyId ?? null,
    policySet: bundle.manifest.digest,
    format: fileFormat,
    compilerVersion: bundle.manifest.compilerVersion,
    files: policies,
    policies: outline(content).map(({ key, type, name, version, scope, unit, at, ...parts }) => ({
      key,
      type,
      name,
      version,
      scope,
      unit,
      ...(at !== undefined && { at }),
      ...(withRules && asJson(parts)),
    })),
    schemas: [...schemas.keys()],
  };
}

const asJson = ({
  says,
  ...lists
}: Pick<PolicyOutline, "says" | "rules" | "derivedRoles" | "variables" | "constants">): { readonly [part: string]: object } => ({
  says: Object.fromEntries(says),
  ...Object.fromEntries(
    Object.entries(lists).map(([name, parts]) => [name, parts.map((part) => ({ ...part, says: Object.fromEntries(part.says) }))]),
  ),
});

function printManifest(file: string, { content, digest, keyId }: BundleFile, withRules: boolean): string {
  const { bundle, schemas, policies } = content;
  const outlines = outline(content);
  const widest = Math.min(60, Math.max(0, ...outlines.map(({ key }) => printable(key).length)));
  const lines = [
    file,
    `  sha256      ${digest}`,
    `  policy set  ${bundle.manifest.digest}`,
    `  signed by   ${keyId === undefined ? "nobody" : `${keyId} (not checked here)`}`,
    `  compiler    ${bundle.manifest.compilerVersion}, format ${fileFormat}`,
    `${countPolicies(outlines.length)} of ${count(policies, "file")}`,
    ...outlines.flatMap((policy) => [
      `  ${printable(policy.key).padEnd(widest)}  ${printable(policy.at ?? "")}`.trimEnd(),
      ...(withRules ? printParts(policy) : []),
    ]),
    count(schemas.size, "schema"),
    ...[...schemas.keys()].map((id) => `  ${printable(id)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function printParts({ says, rules, derivedRoles, variables, constants }: PolicyOutline): readonly string[] {
  const part = (noun: string) => (one: Part) => [
    `    ${printable(`${noun} ${one.name}`.trimEnd())}${one.at === undefined ? "" : `  ${printable(one.at)}`}`,
    ...one.says.map(([what, text]) => `      ${printable(what === "says" ? text : `${what}: ${text}`)}`),
  ];
  return [
    ...says.map(([what, text]) => `    ${printable(`${what}: ${text}`)}`),
    ...constants.flatMap(part("constant")),
    ...variables.flatMap(part("variable")),
    ...derivedRoles.flatMap(part("derived role")),
    ...rules.flatMap(part("rule")),
  ];
}
