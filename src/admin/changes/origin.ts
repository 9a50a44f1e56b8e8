/** Where a policy comes from, as its store says it in the policy's metadata: told with the policy, and not kept with it. */
import { isJsonObject, type Json } from "../../../runtime/wire/json.ts";

/** What a store says of where a policy comes from. */
const attributesOfStores: readonly string[] = ["driver", "source", "update_ts", "commit_hash"];
const metadataOfStores: readonly string[] = [
  "sourceFile",
  "source_file",
  "hash",
  "storeIdentifer",
  "store_identifer",
  "storeIdentifier",
  "store_identifier",
];

/** Leaves out what a store says of a policy, as GetPolicy tells it: the next store says something else. What its author says stays. */
export function withoutOrigin(policy: Json): Json {
  if (!isJsonObject(policy)) return policy;
  const { metadata, ...rest } = policy;
  if (!isJsonObject(metadata)) return policy;
  const own = without(metadata, metadataOfStores).map(([name, value]): readonly [string, Json] => {
    if ((name !== "sourceAttributes" && name !== "source_attributes") || !isJsonObject(value) || !isJsonObject(value["attributes"]))
      return [name, value];
    return [name, { attributes: Object.fromEntries(without(value["attributes"], attributesOfStores)) }];
  });
  const said = own.filter(
    ([, value]) => !isJsonObject(value) || Object.values(value).some((inner) => !isJsonObject(inner) || Object.keys(inner).length > 0),
  );
  return said.length === 0 ? rest : { ...rest, metadata: Object.fromEntries(said) };
}

const without = (object: { readonly [name: string]: Json }, names: readonly string[]): readonly (readonly [string, Json])[] =>
  Object.entries(object).filter(([name]) => !names.includes(name));
