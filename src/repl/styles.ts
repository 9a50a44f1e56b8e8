/** The styles of printed text: colours for a terminal, or none. */

/** Functions that print a text in a style. */
export interface Styles {
  readonly success: (text: string) => string;
  readonly error: (text: string) => string;
  /** For types and hints. */
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
}

const unstyled = (text: string): string => text;

/** No colours. */
export const noStyles: Styles = { success: unstyled, error: unstyled, dim: unstyled, bold: unstyled };

const style =
  (open: number, close: number) =>
  (text: string): string =>
    text === "" ? "" : `\u001B[${open}m${text}\u001B[${close}m`;

/** The eight colours that every terminal has. */
export const terminalStyles: Styles = { success: style(32, 39), error: style(31, 39), dim: style(2, 22), bold: style(1, 22) };
