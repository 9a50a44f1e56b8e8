/** What we know of a parser that brings no types: what it makes of the text that Prometheus reads. */
declare module "parse-prometheus-text-format" {
  /** One metric. */
  export interface Family {
    readonly name: string;
    readonly help: string;
    readonly type: "COUNTER" | "GAUGE" | "HISTOGRAM" | "SUMMARY" | "UNTYPED";
    readonly metrics: readonly Metric[];
  }

  /** One combination of labels: the value of a counter or gauge, or the buckets of a histogram. */
  export interface Metric {
    readonly labels?: { readonly [label: string]: string };
    readonly value?: string;
    readonly buckets?: { readonly [bound: string]: string };
    readonly count?: string;
    readonly sum?: string;
  }

  /** Parses a whole text; throws when it is not one. */
  export default function parse(text: string): readonly Family[];
}
