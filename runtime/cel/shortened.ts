/** Details of errors, which may quote what a request holds, at a bearable length. */

const longest = 300;

/** Cuts a detail that is longer. */
export function shortened(detail: string): string {
  if (detail.length <= longest) return detail;
  // Half of a pair is no text.
  const last = detail.charCodeAt(longest - 1);
  return `${detail.slice(0, last >= 0xd800 && last < 0xdc00 ? longest - 1 : longest)}...`;
}
