/** Prints a configuration as a YAML file, with every default filled in and every secret masked. */
import { Document, Scalar, visit } from "yaml";
import { plainType } from "../../compiler/yaml/scalar-type.ts";
import { ambiguityOf, type ConfigValue } from "./node.ts";
import { isSettingKey, settingsByKey, type Config } from "./settings.ts";
import { mask } from "./url-secrets.ts";

/** A mapping under construction. */
interface Branch {
  [key: string]: Branch | ConfigValue;
}

/** Prints every setting, or only those that differ from their defaults. */
export function printConfig(config: Config, which: "all" | "changed"): string {
  const root: Branch = Object.create(null);
  for (const key of Object.keys(settingsByKey)) {
    if (!isSettingKey(key)) continue;
    const { type, default: fallback, isSecret } = settingsByKey[key];
    const [current, defaultValue] = [type.print(config[key]), type.print(fallback)];
    if (which === "changed" && stringify(current) === stringify(defaultValue)) continue;
    put(root, key.split("."), isSecret && current !== "" ? mask : current);
  }
  if (Object.keys(root).length === 0) return "# every setting has its default\n";
  const document = new Document(root);
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value !== "string") return;
      // Strings that YAML parsers would read as another type need quotes, and a dollar must be escaped so that it does not begin a
      // variable.
      if (isReadOtherwise(node.value)) node.type = Scalar.QUOTE_DOUBLE;
      node.value = node.value.replaceAll("$", "$$$$");
    },
  });
  return document.toString({ lineWidth: 0 });
}

const isReadOtherwise = (written: string): boolean =>
  plainType(written) !== "string" || written === "<<" || ambiguityOf({ text: written, value: written, isPlain: true }) !== undefined;

const stringify = (value: ConfigValue): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part));

function put(branch: Branch, path: readonly string[], value: ConfigValue): void {
  const [key = "", ...rest] = path;
  if (rest.length === 0) branch[key] = value;
  else put((branch[key] ??= Object.create(null)) as Branch, rest, value); // No setting's key is a prefix of another's.
}
