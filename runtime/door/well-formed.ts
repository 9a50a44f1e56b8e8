/** Whether a text is made of whole characters: half a surrogate pair cannot be sent to a server, nor said in UTF-8. */

/** Says it. */
export const isWellFormed = (text: string): boolean => text.isWellFormed();
