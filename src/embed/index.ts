/** `import { load } from "authz"`: decisions in the program that needs them. What is exported is declared in `door.ts`. */
import type { load as declared } from "./door.ts";
import { load as implemented } from "./load.ts";

/** Loads policies. */
export const load: typeof declared = implemented;
