/** Prints messages in the format of `-o`: one line of JSON each, indented JSON, or YAML documents. */
import { Option } from "commander";
import { Document, Scalar, visit } from "yaml";
import type { JsonValue } from "@bufbuild/protobuf";
import { policyText } from "../../admin/changes/policy-text.ts";
import { isPrintable, printableLines } from "./printable.ts";

/** The output formats. */
export type Format = "json" | "yaml" | "prettyjson";

/** The option that chooses the format. */
export const formatOption = (): Option =>
  new Option("-o, --output <format>", "the format of what is printed").choices(["json", "yaml", "prettyjson"] satisfies Format[]);

/** Prints values. Control characters are escaped, which does not change the values. */
export function printValues(values: readonly JsonValue[], format: Format): string {
  switch (format) {
    case "json":
      return values.map((value) => `${jsonLine(value)}\n`).join("");
    case "prettyjson":
      return values.map((value) => `${printableLines(JSON.stringify(value, undefined, 2))}\n`).join("");
    case "yaml":
      return values.map((value) => `---\n${yamlText(value)}`).join("");
  }
}

/** Prints one value on one line. */
export const jsonLine = (value: JsonValue): string => printableLines(JSON.stringify(value));

/** Prints one value as YAML that parses to exactly that value. */
function yamlText(value: JsonValue): string {
  const text = policyText(value, "");
  return printableLines(text) === text ? text : escapedYaml(value);
}

/** YAML can escape characters only in double quotes. */
function escapedYaml(value: JsonValue): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && !isPrintable(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return printableLines(document.toString({ lineWidth: 0 }));
}
