/** Shortens the details of error messages, which may quote what a request holds. */
import { cutWithDots } from "../cut.ts";

const longest = 300;

/** Cuts a detail that is longer. */
export const shortened = (detail: string): string => cutWithDots(detail, longest);
