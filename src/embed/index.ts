/** The package's entry point, `import { load } from "authz"`: decisions inside another program. Its types are declared in `door.ts`. */
import type { load as declared } from "./door.ts";
import { load as implemented } from "./load.ts";

/** Loads policies; see `door.ts`. */
export const load: typeof declared = implemented;
