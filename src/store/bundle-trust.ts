/** The keys whose bundles a server accepts. */
import { readPublicKeys } from "../bundle/keys.ts";
import type { Trust } from "../bundle/verify.ts";
import { refusal } from "../refusal.ts";
import type { StorageConfig } from "./storage.ts";

/**
 * Reads the trusted keys from the files in the settings; throws a refusal when there are none. They are read anew for each bundle, so
 * that added and withdrawn keys take effect.
 */
export function trustOf(config: StorageConfig): Trust {
  const { "storage.bundle.publicKeys": files, "storage.bundle.allowUnsigned": allowUnsigned } = config;
  if (files.length > 0) return { kind: "keys", keys: readPublicKeys(files) };
  if (allowUnsigned) return { kind: "anybody" };
  throw refusal(
    "no key is trusted to sign bundles: set storage.bundle.publicKeys to the file of the public key (`authz bundle keygen` makes a pair), or, for development alone, storage.bundle.allowUnsigned to true",
  );
}
