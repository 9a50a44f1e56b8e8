/** Parses, normalises and joins Unix and Windows file paths as strings, without access to a file system. */
import { evalError, type EvalError } from "./error.ts";
import { work } from "./work.ts";

/** `/a/b` (unix), `C:\a` (drive), `\\host\share\a` (share), or `a\b`: backslashes without a volume (windows). */
type Style = "unix" | "drive" | "share" | "windows";

/**
 * A path normalised by name: no `.`, no empty elements, `..` resolved where possible. The first elements of a drive
 * or share path are its volume.
 */
export interface Path {
  readonly style: Style;
  readonly rooted: boolean;
  readonly elements: readonly string[];
}

/** The number of leading elements that `..` cannot remove: the volume. */
const volumeLength: { readonly [style in Style]: number } = { unix: 0, windows: 0, drive: 1, share: 2 };

/** Parses a path. `C:/a` and `C:a` are errors: a drive must be followed by a backslash or nothing. */
export function readPath(text: string): Path | EvalError {
  work(1 + text.length);
  const style = styleOf(text);
  if (style === "drive" && text.length > 2 && !text.includes("\\")) return evalError("invalid argument", `unsupported Win32 path: ${text}`);
  const rooted = style === "drive" || text.startsWith("/") || text.startsWith("\\");
  return clean(style, rooted, text.split(style === "unix" ? "/" : /[/\\]/));
}

const startsWithDrive = /^[A-Za-z]:/;

const styleOf = (text: string): Style =>
  text.startsWith("\\\\") ? "share" : startsWithDrive.test(text) ? "drive" : text.includes("\\") ? "windows" : "unix";

function clean(style: Style, rooted: boolean, parts: readonly string[]): Path {
  const elements: string[] = [];
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    if (part !== ".." || (!rooted && (elements.length === 0 || elements.at(-1) === ".."))) elements.push(part);
    else if (elements.length > volumeLength[style]) elements.pop();
  }
  return { style, rooted, elements };
}

/** Prints the elements with slashes, the form that patterns are matched against. */
export const withSlashes = ({ rooted, elements }: Path): string =>
  rooted ? `/${elements.join("/")}` : elements.length === 0 ? "." : elements.join("/");

/** Prints a path in its own style. */
export function printPath(path: Path): string {
  const text = path.style === "unix" ? withSlashes(path) : withSlashes(path).replaceAll("/", "\\");
  return path.style === "share" ? `\\${text}` : path.style === "drive" ? text.slice(1) : text;
}

/** Returns the last element; "." if there is none, "/" for a root. */
export const lastElement = ({ rooted, elements }: Path): string => elements.at(-1) ?? (rooted ? "/" : ".");

/** Returns the parent directory. The parent of a root or volume is itself. */
export function parentOf(path: Path): string {
  const { style, elements } = path;
  if (style === "drive" && elements.length === 1) return `${printPath(path)}\\`;
  return elements.length <= volumeLength[style] ? printPath(path) : printPath({ ...path, elements: elements.slice(0, -1) });
}

/** Joins paths in the style of the first. */
export const joinPaths = (first: Path, others: readonly Path[]): Path =>
  clean(
    first.style,
    first.rooted,
    [first, ...others].flatMap((path) => path.elements),
  );

/**
 * Returns the relative path from one path to another, in the style of the other; undefined if it cannot be determined
 * by name alone.
 */
export function wayBetween(from: Path, to: Path): string | undefined {
  if (from.rooted !== to.rooted) return undefined;
  const different = from.elements.findIndex((element, i) => element !== to.elements[i]);
  const same = different < 0 ? from.elements.length : different;
  if (from.elements[same] === "..") return undefined;
  const elements = [...from.elements.slice(same).map(() => ".."), ...to.elements.slice(same)];
  return printPath({ style: to.style === "unix" ? "unix" : "windows", rooted: false, elements });
}

/** Returns the volume, `C:` or `\\host\share`; "" if there is none. */
export function volumeOf(text: string): string {
  const style = styleOf(text);
  if (style === "drive") return text.slice(0, 2);
  const [, , host = "", share = ""] = style === "share" ? text.split("\\", 4) : [];
  return host === "" || share === "" ? "" : `\\\\${host}\\${share}`;
}
