/** Loads ajv on demand: most servers validate nothing, and few meet another draft than the default. */
import { createRequire } from "node:module";
import type { Ajv, Options } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import type * as AjvCore from "ajv/dist/core.js";
import type * as DataTypes from "ajv/dist/compile/validate/dataType.js";
import type * as Util from "ajv/dist/compile/util.js";

/** Requires a package or a file of one. */
export const load = createRequire(import.meta.url);
type Core = typeof AjvCore;
let loaded: Core | undefined;
/** The core of ajv, which validators of all drafts share. */
export const core = (): Core => (loaded ??= load("ajv/dist/core.js"));
/** ajv's template tag for generated code. */
export const _: Core["_"] = (...template) => core()._(...template);
/** ajv's checks of data types. */
export const dataTypes = (): typeof DataTypes => load("ajv/dist/compile/validate/dataType.js");
/** ajv's utilities for keywords. */
export const util = (): typeof Util => load("ajv/dist/compile/util.js");
/** The class for draft 2020-12, the default. */
export const latest = (): new (options: Options) => Ajv2020 => load("ajv/dist/2020.js").Ajv2020;
/** The class for draft-07, which validates draft-06 too. */
export const draft07 = (): new (options: Options) => Ajv => load("ajv").Ajv;
