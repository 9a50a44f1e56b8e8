/** Pages of audit entries for workers: a query for a month of entries must not fill the memory. */
import type { AuditQuery, Sink } from "../audit/sink.ts";
import { refusal } from "../refusal.ts";

/** The lists that one worker reads. */
export interface EntryLists {
  readonly begin: (query: AuditQuery) => number;
  /** Returns the next page of a list; an empty page is the end. */
  readonly next: (list: number) => Promise<readonly string[]>;
  readonly forget: (list: number) => Promise<void>;
  /** Forgets all, because the worker has ended; what it asked for just before begins no other. */
  readonly close: () => Promise<void>;
}

/** The number of entries per page. */
const pageEntries = 100;

/** Opens the lists of a worker, given the sink's query. */
export function openEntryLists(query: Sink["query"]): EntryLists {
  const lists = new Map<number, AsyncGenerator<readonly string[]>>();
  let last = 0;
  let closed = false;
  const forget = async (list: number): Promise<void> => {
    const pages = lists.get(list);
    lists.delete(list);
    await pages?.return(undefined);
  };
  return {
    begin: (asked) => {
      if (closed) throw refusal("nobody reads a list of audit entries whose worker has ended");
      if (query === undefined) throw refusal("the audit log cannot be queried");
      lists.set(++last, inPages(query(asked)));
      return last;
    },
    next: async (list) => {
      const page = await lists.get(list)?.next();
      return page === undefined || page.done === true ? [] : page.value;
    },
    forget,
    close: async () => {
      closed = true;
      await Promise.allSettled([...lists.keys()].map(forget));
    },
  };
}

async function* inPages(entries: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let page: string[] = [];
  for await (const text of entries) {
    page.push(text);
    if (page.length < pageEntries) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
