/** The results of a run of suites, as JSON, in lines that are equal where the two say the same. */

/** One test action, or a suite as a whole. */
export interface Line {
  readonly file: string;
  readonly test: string;
  readonly principal: string;
  readonly resource: string;
  readonly action: string;
  /** What is compared. */
  readonly says: string;
}

interface Results {
  readonly suites?: readonly {
    readonly file: string;
    readonly error?: string;
    readonly summary?: object;
    readonly testCases?: readonly {
      readonly name: string;
      readonly principals: readonly {
        readonly name: string;
        readonly resources: readonly {
          readonly name: string;
          readonly actions: readonly { readonly name: string; readonly details: Details }[];
        }[];
      }[];
    }[];
  }[];
}

interface Details {
  readonly result: string;
  readonly failure?: { readonly expected: string; readonly actual: string; readonly outputs?: readonly OutputFailure[] };
  readonly success?: { readonly effect: string };
}

interface OutputFailure {
  readonly src: string;
  readonly missing?: object;
  readonly mismatched?: { readonly actual?: unknown };
}

/** Reads them, in order. */
export function linesOf(text: string): readonly Line[] {
  // The shape is what both programs document; a line that is none shows as a difference.
  const { suites = [] } = JSON.parse(text) as Results;
  return suites.flatMap(({ file, error, testCases = [] }) => [
    ...(error === undefined ? [] : [{ file, test: "", principal: "", resource: "", action: "", says: "error" }]),
    ...testCases.flatMap((test) =>
      test.principals.flatMap((principal) =>
        principal.resources.flatMap((resource) =>
          resource.actions.map(({ name: action, details }) => ({
            file,
            test: test.name,
            principal: principal.name,
            resource: resource.name,
            action,
            says: saysOf(details),
          })),
        ),
      ),
    ),
  ]);
}

function saysOf({ result, failure, success }: Details): string {
  const outputs = (failure?.outputs ?? []).map(({ src, missing }) => `${src} ${missing === undefined ? "other" : "missing"}`).toSorted();
  const effects = [result, failure?.expected, failure?.actual, success?.effect].filter((part) => part !== undefined).join(" ");
  return [effects, ...outputs].join(betweenFailures);
}

/** A source may have spaces in it. */
const betweenFailures = "\n";

/** Each output that was not as expected, as `source missing` or `source other`. */
export const failuresIn = (says: string): readonly string[] => says.split(betweenFailures).slice(1);
