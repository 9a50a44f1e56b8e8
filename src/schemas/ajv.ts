/** ajv, loaded when a schema is there that needs it: most servers validate nothing, and few meet another draft than the default. */
import { createRequire } from "node:module";
import type { Ajv, Options } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import type * as AjvCore from "ajv/dist/core.js";
import type * as DataTypes from "ajv/dist/compile/validate/dataType.js";
import type * as Util from "ajv/dist/compile/util.js";

/** Loads a package or a file of one. */
export const load = createRequire(import.meta.url);
type Core = typeof AjvCore;
let loaded: Core | undefined;
/** Its core: what validators of every draft share. */
export const core = (): Core => (loaded ??= load("ajv/dist/core.js"));
/** The template for code that ajv writes. */
export const _: Core["_"] = (...template) => core()._(...template);
/** How it tells the type of a value. */
export const dataTypes = (): typeof DataTypes => load("ajv/dist/compile/validate/dataType.js");
/** What its own keywords are made with. */
export const util = (): typeof Util => load("ajv/dist/compile/util.js");
/** The class for draft 2020-12, the default. */
export const latest = (): new (options: Options) => Ajv2020 => load("ajv/dist/2020.js").Ajv2020;
/** The class for draft-07, which validates draft-06 too. */
export const draft07 = (): new (options: Options) => Ajv => load("ajv").Ajv;
