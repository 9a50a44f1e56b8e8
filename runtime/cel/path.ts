/** File paths of Unix and of Windows as text: taken apart, cleaned, put together again. Nothing asks a file system. */
import { evalError, type EvalError } from "./error.ts";
import { work } from "./work.ts";

/** `/a/b`, `C:\a`, `\\host\share\a`, or with backslashes but without a volume: `a\b`. */
type Style = "unix" | "drive" | "share" | "windows";

/** A path without `.`, empty elements and needless `..`; a drive, or host and share, are its first elements. */
export interface Path {
  readonly style: Style;
  readonly rooted: boolean;
  readonly elements: readonly string[];
}

/** Elements that `..` does not climb over. */
const volumeLength: { readonly [style in Style]: number } = { unix: 0, windows: 0, drive: 1, share: 2 };

/** Reads a path. A drive is followed by backslashes or by nothing: `C:/a` and `C:a` are errors. */
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

/** Writes elements with slashes, as patterns compare them. */
export const withSlashes = ({ rooted, elements }: Path): string =>
  rooted ? `/${elements.join("/")}` : elements.length === 0 ? "." : elements.join("/");

/** Writes a path the way it was written. */
export function printPath(path: Path): string {
  const text = path.style === "unix" ? withSlashes(path) : withSlashes(path).replaceAll("/", "\\");
  return path.style === "share" ? `\\${text}` : path.style === "drive" ? text.slice(1) : text;
}

/** Returns the last element: "." of nothing, "/" of a root. */
export const lastElement = ({ rooted, elements }: Path): string => elements.at(-1) ?? (rooted ? "/" : ".");

/** Returns the path that a path lies in; a root lies in itself. */
export function parentOf(path: Path): string {
  const { style, elements } = path;
  if (style === "drive" && elements.length === 1) return `${printPath(path)}\\`;
  return elements.length <= volumeLength[style] ? printPath(path) : printPath({ ...path, elements: elements.slice(0, -1) });
}

/** Puts paths behind one another, in the style of the first. */
export const joinPaths = (first: Path, others: readonly Path[]): Path =>
  clean(
    first.style,
    first.rooted,
    [first, ...others].flatMap((path) => path.elements),
  );

/** Returns the way from one path to another, in the other's style; undefined where names alone do not tell it. */
export function wayBetween(from: Path, to: Path): string | undefined {
  if (from.rooted !== to.rooted) return undefined;
  const different = from.elements.findIndex((element, i) => element !== to.elements[i]);
  const same = different < 0 ? from.elements.length : different;
  if (from.elements[same] === "..") return undefined;
  const elements = [...from.elements.slice(same).map(() => ".."), ...to.elements.slice(same)];
  return printPath({ style: to.style === "unix" ? "unix" : "windows", rooted: false, elements });
}

/** Returns `C:` or `\\host\share`; "" where there is no volume. */
export function volumeOf(text: string): string {
  const style = styleOf(text);
  if (style === "drive") return text.slice(0, 2);
  const [, , host = "", share = ""] = style === "share" ? text.split("\\", 4) : [];
  return host === "" || share === "" ? "" : `\\\\${host}\\${share}`;
}
