/** A request/response channel between two processes: either end asks, the other answers. Only plain data crosses it. */
import { codeOf, isRefusal, messageOf, refusal } from "../refusal.ts";

/** The requests of a protocol: by name, the types of request and answer. */
type Exchanges<Of> = { readonly [Name in keyof Of]: { readonly asks: unknown; readonly answers: unknown } };

/** The handlers of requests. They are started in the order in which requests arrive. */
export type Handlers<Of extends Exchanges<Of>> = {
  readonly [Name in keyof Of]: (asks: Of[Name]["asks"]) => Of[Name]["answers"] | Promise<Of[Name]["answers"]>;
};

/** One end of a channel. */
export interface Channel<Theirs extends Exchanges<Theirs>> {
  /** Sends a request. Rejects with the other process's error, or when that process is gone. */
  readonly ask: <Name extends keyof Theirs>(name: Name, asks: Theirs[Name]["asks"]) => Promise<Theirs[Name]["answers"]>;
  /** Handles a message that has arrived. */
  readonly receive: (message: unknown) => void;
  /** Reports that the other process is gone; pending requests are rejected. */
  readonly close: (why: Error) => void;
}

type Message =
  | { readonly kind: "ask"; readonly id: number; readonly name: string; readonly asks: unknown }
  | { readonly kind: "answer"; readonly id: number; readonly answer: unknown }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly message: string;
      readonly code: string | undefined;
      readonly isRefusal: boolean;
    };

/** Validators of answers, by request. An answer without a validator is accepted. */
type Accepted<Of extends Exchanges<Of>> = { readonly [Name in keyof Of]?: (answer: unknown) => boolean };

interface Asked {
  readonly name: string;
  readonly accepts: (answer: unknown) => boolean;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** The options of a channel. */
export interface ChannelOptions<Theirs extends Exchanges<Theirs>, Ours extends Exchanges<Ours>> {
  /** Sends a message. Throws when it is not plain data; does nothing when the other process is gone. */
  readonly send: (message: Message) => void;
  readonly handlers: Handlers<Ours>;
  readonly accepted?: Accepted<Theirs>;
  /** Called with what is no valid message or answer. It is ignored otherwise, because one broken process must not break another. */
  readonly refused: (received: unknown) => void;
}

/** Opens one end of a channel. */
export function openChannel<Theirs extends Exchanges<Theirs>, Ours extends Exchanges<Ours>>({
  send,
  handlers,
  accepted = {},
  refused,
}: ChannelOptions<Theirs, Ours>): Channel<Theirs> {
  const waiting = new Map<number, Asked>();
  let lastId = 0;
  let gone: Error | undefined;

  const answer = async ({ id, name, asks }: Extract<Message, { kind: "ask" }>): Promise<void> => {
    try {
      if (!Object.hasOwn(handlers, name)) throw new Error(`nobody answers \`${name}\``);
      // The type of a request is known only to its sender.
      const given: unknown = await handlers[name as keyof Ours](asks);
      send({ kind: "answer", id, answer: given });
    } catch (error) {
      send({ kind: "failed", id, message: messageOf(error), code: codeOf(error), isRefusal: isRefusal(error) });
    }
  };
  return {
    ask: (name, asks) =>
      new Promise((resolve, reject) => {
        if (gone !== undefined) return reject(gone);
        const id = ++lastId;
        waiting.set(id, { name: String(name), accepts: accepted[name] ?? (() => true), resolve, reject });
        try {
          send({ kind: "ask", id, name: String(name), asks });
        } catch (error) {
          waiting.delete(id);
          throw error;
        }
      }),
    receive: (received) => {
      if (!isMessage(received)) return refused(received);
      const message = received;
      if (message.kind === "ask") return void answer(message);
      const asked = waiting.get(message.id);
      waiting.delete(message.id);
      if (asked === undefined) return;
      if (message.kind === "answer") {
        if (asked.accepts(message.answer)) return asked.resolve(message.answer as never);
        refused(received);
        return asked.reject(new Error(`what came is not an answer to \`${asked.name}\``));
      }
      asked.reject(message.isRefusal ? refusal(message.message) : Object.assign(new Error(message.message), codeIn(message)));
    },
    close: (why) => {
      gone ??= why;
      for (const { reject } of waiting.values()) reject(gone);
      waiting.clear();
    },
  };
}

function isMessage(received: unknown): received is Message {
  if (typeof received !== "object" || received === null) return false;
  const { kind, id, name, message, code, isRefusal }: { readonly [field: string]: unknown } = { ...received };
  if (typeof id !== "number") return false;
  if (kind === "ask") return typeof name === "string";
  if (kind === "answer") return true;
  return (
    kind === "failed" && typeof message === "string" && ["string", "undefined"].includes(typeof code) && typeof isRefusal === "boolean"
  );
}

const codeIn = ({ code }: { readonly code: string | undefined }): { readonly code?: string } => (code === undefined ? {} : { code });
