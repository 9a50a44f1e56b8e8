/** Removes the metadata that a store adds to a policy when it returns it. */
import { isJsonObject, type Json } from "../../../runtime/wire/json.ts";

/** The source attributes that stores add. */
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

/** Returns a policy without the metadata that GetPolicy adds, because the next store has its own. The author's metadata stays. */
export function withoutStoreMetadata(policy: Json): Json {
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
