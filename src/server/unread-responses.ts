/** Bounds the bytes of responses that clients have not read yet, all together: slow readers of large responses would fill the memory. */
import { failure, type Reply } from "./calls/reply.ts";
import { notListed, InProgressList, type ListItem } from "./connections/in-progress-list.ts";

/** What buffers a response until its client has read it: a connection or a stream. */
export interface ResponseBuffer {
  readonly writableLength: number;
  readonly once: (event: "close", listener: () => void) => unknown;
}

interface Counted extends ListItem {
  readonly buffer: ResponseBuffer;
}

/** The account of unread bytes. */
export interface UnreadResponses {
  /** Counts the unread bytes of a connection or stream until it is closed. */
  readonly add: (buffer: ResponseBuffer) => void;
  /** Counts the unread bytes of everything in a list, which is read anew each time. */
  readonly addList: (list: () => Iterable<Pick<ResponseBuffer, "writableLength">>) => void;
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
export function openUnreadResponses(most: number = usualMost): UnreadResponses {
  const open = new InProgressList<Counted>();
  const lists: (() => Iterable<Pick<ResponseBuffer, "writableLength">>)[] = [() => open.all().map(({ buffer }) => buffer)];
  return {
    addList: (list) => void lists.push(list),
    add: (buffer) => {
      const counted = { buffer, index: notListed };
      open.add(counted);
      buffer.once("close", () => open.remove(counted));
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
