/** Stands in a built module for claims made what conditions read, where no condition reads any: they are taken as they are. */
import type { takeClaims as take } from "../door/take-claims.ts";
import { takeObject } from "../door/snapshot.ts";

export const takeClaims: typeof take = takeObject;
