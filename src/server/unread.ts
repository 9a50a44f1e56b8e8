/** Bounds the bytes of responses that clients have not read yet, all together: slow readers of large responses would fill the memory. */
import { failure, type Reply } from "./calls/reply.ts";
import { nowhere, UnderWay, type Placed } from "./connections/under-way.ts";

/** What holds an answer until its client has read it: a connection, or a stream of one. */
export interface Holder {
  readonly writableLength: number;
  readonly once: (event: "close", listener: () => void) => unknown;
}

interface Counted extends Placed {
  readonly holder: Holder;
}

/** All that waits. */
export interface Unread {
  /** Counts what waits there, until it is closed. */
  readonly add: (holder: Holder) => void;
  /** Counts what waits at all that somebody keeps a list of, whatever is on it by then. */
  readonly addList: (list: () => Iterable<Pick<Holder, "writableLength">>) => void;
  /** Returns the answer itself, or another that says that it has to wait. */
  readonly admit: (reply: Reply) => Reply;
}

/** Smaller answers are never held back. */
const large = 2 ** 18;
const usualMost = 2 ** 28;

const noRoom: Reply = {
  ...failure("RESOURCE_EXHAUSTED", "too many large answers wait for their clients to read them: try again in a moment"),
  retryAfter: 5,
};

/** Opens the account, empty. */
export function openUnread(most: number = usualMost): Unread {
  const open = new UnderWay<Counted>();
  const lists: (() => Iterable<Pick<Holder, "writableLength">>)[] = [() => open.all().map(({ holder }) => holder)];
  return {
    addList: (list) => void lists.push(list),
    add: (holder) => {
      const counted = { holder, place: nowhere };
      open.add(counted);
      holder.once("close", () => open.remove(counted));
    },
    admit: (reply) => {
      const { length } = reply.message ?? reply.text;
      if (length < large) return reply;
      let waiting = length;
      for (const list of lists) for (const { writableLength } of list()) waiting += writableLength;
      return waiting > most ? noRoom : reply;
    },
  };
}
