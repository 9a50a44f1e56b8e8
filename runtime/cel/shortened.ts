/** Shortens the details of error messages, which may quote what a request holds. */
import { cutWithDots } from "../cut.ts";

// UTF-16 units.
const longest = 300;

/** Shortens a detail longer than the limit. */
export const shortened = (detail: string): string => cutWithDots(detail, longest);
