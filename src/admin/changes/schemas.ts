/** Plans changes that put schemas into the store or delete them, or reports why that is impossible. */
import { cutWithDots } from "../../../runtime/cut.ts";
import { readOnce, type CompileCache } from "../../../compiler/cache.ts";
import { documentKey } from "../../../compiler/policy/names.ts";
import type { PolicyDocument } from "../../../compiler/policy/document.ts";
import { refused, type RequestProblem, type Refused, type SchemaText } from "../../compile/commands.ts";
import { openSchemasCheck } from "../../schemas/check.ts";
import type { SchemaFiles } from "../../schemas/load.ts";
import { withEdits } from "../../compile/store-state.ts";
import { unsafeSchemaId } from "../../store/safe-names.ts";
import { emptyBatch } from "../../store/store.ts";
import { refuseBrokenStore, type Change, type ChangeContext } from "./change.ts";
import { definitionProblem } from "./definition.ts";

/** Plans to put schemas. Of two with the same id, the last counts. */
export function putSchemas(schemas: readonly SchemaText[], { state, store, places }: ChangeContext): Change | Refused {
  const put = new Map(schemas.map(({ id, text }) => [id, text] as const));
  const files = withEdits(state.schemas, [], [...put]);
  const problems = schemas.flatMap(({ id, text }, index): readonly RequestProblem[] => {
    const named = `the id \`${brief(id)}\``;
    const wrongId = unsafeSchemaId(id) ?? store.schemaIdProblem(id);
    if (wrongId !== undefined) return [{ path: `schemas[${index}].id`, code: "schema.id", message: `${named} ${wrongId}` }];
    // Earlier duplicates are checked too, so that nothing invalid is accepted.
    const wrong = definitionProblem(id, put.get(id) === text ? files : withEdits(files, [], [[id, text]]), places);
    return wrong === undefined
      ? []
      : [
          {
            path: `schemas[${index}].definition`,
            code: "schema.definition",
            message: `the schema \`${brief(id)}\` is not valid: ${wrong}`,
          },
        ];
  });
  if (problems.length > 0) return refused("invalid", "the schemas are not valid", problems);
  return {
    kind: "change",
    state: { ...state, schemas: files },
    batch: { ...emptyBatch, putSchemas: [...put].map(([path, text]) => ({ path, text })) },
    count: put.size,
    refuse: refuseBrokenStore,
  };
}

/** Plans to delete schemas; refuses if that would break references (D5). */
export function deleteSchemas(ids: readonly string[], { state, cache, places }: ChangeContext): Change | Refused {
  const gone = ids.filter((id) => state.schemas.has(id));
  const files = withEdits(state.schemas, gone, []);
  const needed = gone.length === 0 ? [] : stillNeeded(references(state.sources.values(), cache), state.schemas, files, places);
  if (needed.length > 0)
    return refused(
      "precondition",
      "policies refer to what would be deleted",
      needed.map(({ policy, ref }) => ({ path: "id", code: "schema.needed", message: `the policy \`${policy}\` refers to \`${ref}\`` })),
    );
  return {
    kind: "change",
    state: { ...state, schemas: files },
    batch: { ...emptyBatch, removeSchemas: gone },
    count: gone.length,
    refuse: refuseBrokenStore,
  };
}

interface Reference {
  readonly policy: string;
  readonly ref: string;
}

function references(sources: Iterable<Parameters<typeof readOnce>[0]>, cache: CompileCache): readonly Reference[] {
  return [...sources].flatMap((source) => {
    const { document } = readOnce(source, cache);
    return document === undefined ? [] : referencesOf(document);
  });
}

function referencesOf(document: PolicyDocument): readonly Reference[] {
  if (document.kind !== "resource" || document.isDisabled) return [];
  const { principal, resource } = document.schemas;
  const policy = documentKey(document);
  return [principal, resource].flatMap((reference) => (reference === undefined ? [] : [{ policy, ref: reference.ref.value }]));
}

/** Returns the references that can be resolved now, and not after the change. */
function stillNeeded(
  all: readonly Reference[],
  before: SchemaFiles,
  after: SchemaFiles,
  places: ChangeContext["places"],
): readonly Reference[] {
  const now = openSchemasCheck(before, places, "error");
  const then = now.withFiles(after);
  return all.filter(({ ref }) => now.problemOf(ref) === undefined && then.problemOf(ref) !== undefined);
}

const brief = (id: string): string => cutWithDots(id, 80);
