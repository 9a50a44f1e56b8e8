/** The functions that generated validators call, by the names that `validator.ts` uses, for validators in modules. */
export { charge, chargeStep as takeTurn } from "./cost.ts";
export { isBase64, readContent } from "./content.ts";
export { characterCount as ucs2length, equal, firstRepetition, isMultiple, isOneOf, isOwn } from "./equality.ts";
export { formats } from "./formats.ts";
export { closeItems, isNoted, noteItem, noteItems, openItems } from "./items.ts";
export { compilePattern as pattern } from "./validate-attributes.ts";
