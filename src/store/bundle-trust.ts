/** Whose bundles a server takes. */
import { readPublicKeys } from "../bundle/keys.ts";
import type { Trust } from "../bundle/verify.ts";
import { refusal } from "../refusal.ts";
import type { StorageConfig } from "./storage.ts";

/** Reads whom the settings trust; throws a refusal when they name nobody. Read anew each time: a key that is added or withdrawn counts from the next bundle on. */
export function trustOf(config: StorageConfig): Trust {
  const { "storage.bundle.publicKeys": files, "storage.bundle.allowUnsigned": allowUnsigned } = config;
  if (files.length > 0) return { kind: "keys", keys: readPublicKeys(files) };
  if (allowUnsigned) return { kind: "anybody" };
  throw refusal(
    "no key is trusted to sign bundles: set storage.bundle.publicKeys to the file of the public key (`authz bundle keygen` makes a pair), or, for development alone, storage.bundle.allowUnsigned to true",
  );
}
