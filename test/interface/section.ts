/** What the checklist is made of: sections of the document, and a case for each of their rows. */
import type { Scene } from "./scene.ts";

/** One row, by its first cell or its first words, and how it is shown to hold. */
export interface Row {
  readonly row: string;
  readonly holds: (scene: Scene) => void | Promise<void>;
}

/** The rows of one table, or one list, below a heading of the document. */
export interface Section {
  readonly heading: string;
  readonly rows: readonly Row[];
}

export const row = (text: string, holds: Row["holds"]): Row => ({ row: text, holds });
