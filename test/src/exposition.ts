/** The Prometheus text as somebody else's parser reads it. */
import parse, { type Family, type Metric } from "parse-prometheus-text-format";

export interface Exposition {
  readonly families: ReadonlyMap<string, Family>;
  /** The values of the samples of this name (`x_bucket` is a name) whose labels are among others these. */
  readonly values: (name: string, labels?: Labels) => readonly string[];
  /** The only one of them. */
  readonly value: (name: string, labels?: Labels) => number;
  /** The labels of every sample of a name. */
  readonly labels: (name: string) => readonly Labels[];
}

export type Labels = { readonly [label: string]: string };

/** Reads a whole text. */
export function readExposition(text: string): Exposition {
  // The parser puts the children of a histogram together, whatever their labels: samples alone it reads one by one.
  const samples = parse(text.replaceAll(/^#.*\n/gm, ""));
  const named = (name: string): readonly Metric[] => samples.filter((family) => family.name === name).flatMap(({ metrics }) => metrics);
  const values = (name: string, labels: Labels = {}): readonly string[] =>
    named(name)
      .filter((one) => Object.entries(labels).every(([label, value]) => one.labels?.[label] === value))
      .map((one) => one.value ?? "");
  return {
    families: new Map(parse(text).map((family) => [family.name, family])),
    values,
    value: (name, labels) => {
      const [value = "", ...more] = values(name, labels);
      if (value === "" || more.length > 0)
        throw new Error(`${name} ${JSON.stringify(labels)} has ${value === "" ? "no" : "several"} values`);
      return Number(value.replace("Inf", "Infinity"));
    },
    labels: (name) => named(name).map((one) => one.labels ?? {}),
  };
}
