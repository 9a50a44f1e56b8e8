/** Colours for a terminal, or none. */

/** The styles. */
export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  /** For types and hints. */
  readonly quiet: (text: string) => string;
  readonly strong: (text: string) => string;
}

const plain = (text: string): string => text;

/** No colours. */
export const noPaint: Paint = { good: plain, bad: plain, quiet: plain, strong: plain };

const code =
  (open: number, close: number) =>
  (text: string): string =>
    text === "" ? "" : `\u001B[${open}m${text}\u001B[${close}m`;

/** The eight colours that every terminal has. */
export const terminalPaint: Paint = { good: code(32, 39), bad: code(31, 39), quiet: code(2, 22), strong: code(1, 22) };
