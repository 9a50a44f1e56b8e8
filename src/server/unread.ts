/** Bounds the bytes of responses that clients have not read yet, all together: slow readers of large responses would fill the memory. */
import { failure, type Reply } from "./calls/reply.ts";
import { nowhere, UnderWay, type Placed } from "./connections/under-way.ts";

/** What buffers a response until its client has read it: a connection or a stream. */
export interface Holder {
  readonly writableLength: number;
  readonly once: (event: "close", listener: () => void) => unknown;
}

interface Counted extends Placed {
  readonly holder: Holder;
}

/** The account of unread bytes. */
export interface Unread {
  /** Counts the unread bytes of a connection or stream until it is closed. */
  readonly add: (holder: Holder) => void;
  /** Counts the unread bytes of everything in a list, which is read anew each time. */
  readonly addList: (list: () => Iterable<Pick<Holder, "writableLength">>) => void;
  /** Returns the reply itself, or RESOURCE_EXHAUSTED when it is large and too many bytes are unread. */
  readonly admit: (reply: Reply) => Reply;
}

/** Smaller replies, in bytes, are always admitted. */
const large = 2 ** 18;
const usualMost = 2 ** 28;

const noRoom: Reply = {
  ...failure("RESOURCE_EXHAUSTED", "too many large answers wait for their clients to read them: try again in a moment"),
  retryAfter: 5,
};

/** Opens the account; `most` limits the unread bytes. */
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
