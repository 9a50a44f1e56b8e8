/** Prints tables, one row per line. */

/** Prints rows of cells, each column as wide as its widest cell. */
export function printColumns(rows: readonly (readonly string[])[], indent = ""): string {
  const widths = rows.reduce<readonly number[]>(
    (widest, row) =>
      Array.from({ length: Math.max(widest.length, row.length) }, (_, at) => Math.max(widest[at] ?? 0, row[at]?.length ?? 0)),
    [],
  );
  return rows
    .map(
      (row) =>
        indent +
        row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join("  ")
          .trimEnd(),
    )
    .join("\n");
}
