/**
 * The shape of a mapping with known fields. Each may be in camelCase or snake_case; unknown and duplicate fields are
 * reported.
 */
import { didYouMean } from "../nearest.ts";
import { positionAt } from "../source.ts";
import { headOf, type MapEntry } from "./node.ts";
import { fieldPath } from "./path.ts";
import { wrongType, type Mistake, type Place, type Read, type ShapeReport, type Shape } from "./shape.ts";

/** The fields of a record by camelCase name. */
export interface Fields {
  readonly [name: string]: Shape<unknown>;
}

/** The value of a record: the fields that are present. */
export interface RecordValue<F extends Fields> {
  readonly fields: { readonly [N in keyof F]?: Read<F[N]> };
  readonly place: Place;
}

/** Fields of which exactly one must be given. */
export interface Choice<F extends Fields> {
  /** What the author must say: completes "say ...". */
  readonly description: string;
  readonly fields: readonly (keyof F & string)[];
}

/**
 * Makes the shape of a record. `misplacedFields` are hints for unknown fields by name; `unknownFieldHint` is the hint for
 * an unknown field that resembles no known one.
 */
export function record<F extends Fields>(
  fields: F,
  choice?: Choice<F>,
  misplacedFields: ReadonlyMap<string, string> = none,
  unknownFieldHint?: string,
): Shape<RecordValue<F>> {
  const names = { ...indexNames(fields), misplacedFields, unknownFieldHint };
  const shapes = Object.values(fields);
  const chosen = choice?.fields.map((name) => names.all.indexOf(name));
  return {
    isEmpty: () => false,
    form: { kind: "record", fields, ...(choice && { choice: choice.fields }) },
    read: (place, report) => {
      const { node } = place;
      if (node.kind !== "map") return wrongType("a mapping", place, report, fieldsHere(names.all));
      const entries = findEntries(node.entries, names, place, report);
      if (choice !== undefined && chosen !== undefined) checkChoice(choice, chosen, entries, place, report);
      const values: { [name: string]: unknown } = {};
      for (let at = 0; at < shapes.length; at++) {
        const name = names.all[at];
        const shape = shapes[at];
        if (name === undefined || shape === undefined) continue;
        const value = readField(name, shape, entries[at], place, report);
        if (value !== undefined) values[name] = value;
      }
      // Each field was read by its own shape; the type system cannot express that for an object that is filled step
      // by step.
      return { fields: values as RecordValue<F>["fields"], place };
    },
  };
}

const none: ReadonlyMap<string, string> = new Map();

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The names of fields, and the index of the field for each spelling. */
interface Names {
  readonly all: readonly string[];
  readonly spellings: ReadonlyMap<string, number>;
  /** Hints for unknown names. */
  readonly misplacedFields: ReadonlyMap<string, string>;
  readonly unknownFieldHint: string | undefined;
}

function indexNames(fields: Fields): Pick<Names, "all" | "spellings"> {
  const all = Object.keys(fields);
  return {
    all,
    spellings: new Map([...all.map((name, at) => [snakeCase(name), at] as const), ...all.map((name, at) => [name, at] as const)]),
  };
}

/** The entry of each field, by the index of the field. */
type Entries = readonly (MapEntry | undefined)[];

/** Finds the entry of each field. Reports unknown and duplicate fields. */
function findEntries(written: readonly MapEntry[], names: Names, { path }: Place, report: ShapeReport): Entries {
  const { all, spellings, misplacedFields, unknownFieldHint } = names;
  const found: (MapEntry | undefined)[] = all.map(nothing);
  for (const entry of written) {
    const { key } = entry;
    const at = spellings.get(key.text);
    const earlier = at === undefined ? undefined : found[at];
    if (at === undefined)
      report.parseError({
        code: "unknown-field",
        span: key.span,
        path: fieldPath(path, key.text),
        message: `unknown field \`${key.text}\``,
        hint: misplacedFields.get(key.text) ?? didYouMean(key.text, all).hint ?? unknownFieldHint ?? fieldsHere(all),
      });
    else if (earlier !== undefined)
      report.parseError({
        code: "duplicate-field",
        span: key.span,
        path: fieldPath(path, key.text),
        message: `\`${key.text}\` is already given as \`${earlier.key.text}\` at ${position(earlier)}`,
        hint: "keep one of the two",
        notes: [{ span: earlier.key.span, message: "first given here" }],
      });
    else found[at] = entry;
  }
  return found;
}

const fieldsHere = (all: readonly string[]): string => `the fields here are ${all.map((each) => `\`${each}\``).join(", ")}`;

const nothing = (): undefined => undefined;

function readField(name: string, shape: Shape<unknown>, entry: MapEntry | undefined, parent: Place, report: ShapeReport): unknown {
  if (entry === undefined) {
    // The reference implementation reports no position for something missing; the source frame shows where it
    // belongs.
    if (shape.required)
      report.violation({
        code: "missing-value",
        source: parent.at.source,
        focus: headOf(parent.node),
        message: `\`${name}\` is required at \`${parent.path}\``,
        hint: `add \`${name}: ...\``,
      });
    return undefined;
  }
  const path = fieldPath(parent.path, entry.key.text);
  const place: Place = { node: entry.value, path, at: entry.key.span };
  if (!shape.required) return shape.read(place, report);
  // If the value is empty, violations about the empty value would add nothing.
  const later: Mistake[] = [];
  const value = shape.read(place, { parseError: report.parseError, violation: (mistake) => later.push(mistake) });
  if (value !== undefined && shape.isEmpty(value)) {
    report.violation({
      code: "missing-value",
      span: entry.key.span,
      path,
      message: `\`${name}\` cannot be empty`,
      hint: "give it a value",
    });
  } else {
    for (const mistake of later) report.violation(mistake);
  }
  return value;
}

function checkChoice<F extends Fields>(
  choice: Choice<F>,
  among: readonly number[],
  entries: Entries,
  { node, path, at }: Place,
  report: ShapeReport,
): void {
  let count = 0;
  for (const field of among) if (entries[field] !== undefined) count++;
  if (count === 1) return;
  const given = among.flatMap((field) => entries[field] ?? []);
  const [chosen, ...others] = given.toSorted((left, right) => left.key.span.start - right.key.span.start);
  if (chosen === undefined)
    report.violation({
      code: "missing-choice",
      source: at.source,
      focus: headOf(node),
      message: `nothing says ${choice.description} at \`${path}\``,
      hint: `give one of ${choice.fields.map((name) => `\`${name}\``).join(", ")}`,
    });
  for (const other of others)
    report.parseError({
      code: "conflicting-fields",
      span: other.key.span,
      path: fieldPath(path, other.key.text),
      message: `\`${other.key.text}\` cannot be given together with \`${chosen?.key.text ?? ""}\` at ${chosen === undefined ? "" : position(chosen)}`,
      hint: "keep one of the two",
    });
}

function position(entry: MapEntry): string {
  const { line, column } = positionAt(entry.key.span.source, entry.key.span.start);
  return `${line}:${column}`;
}
