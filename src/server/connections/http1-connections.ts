/** Tracks HTTP/1 connections: which of them wait for a response, and how each is closed without losing a request. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { linger } from "./linger.ts";
import { nowhere, type Placed, UnderWay } from "./under-way.ts";

/** The connections of a listener. */
export interface Http1Connections {
  /** Takes a connection in as soon as it stands, whatever it will speak. */
  readonly add: (socket: Socket) => void;
  /** Lets one go that speaks HTTP/2. */
  readonly release: (socket: Socket) => void;
  /** Told of each request as it begins, and when its answer is whole or given up. */
  readonly begin: (request: IncomingMessage, response: ServerResponse) => void;
  readonly end: (socket: Socket) => void;
  /**
   * What comes on the connection cannot be read: calls back once the requests before it have their answers, and reads no more.
   * Who is told of that again meanwhile is not called back.
   */
  readonly afterAnswers: (socket: Socket, then: () => void) => void;
  /** Was the last request answered before it was whole, or as the last one? Then what else comes has no answer. */
  readonly isAnsweredEarly: (socket: Socket) => boolean;
  /** Told of an answer before its request is whole: if the connection ends with it, its client is left the time to read it. */
  readonly answersEarly: (socket: Socket) => void;
  /** Ends a connection whose client may still be sending. */
  readonly linger: (socket: Socket) => void;
  /**
   * Closes each connection once it has said nothing for a while and waits for no answer, and cuts off what is left after so long.
   * Whoever answers meanwhile says `connection: close`.
   */
  readonly close: (milliseconds: number) => Promise<void>;
}

interface Connection extends Placed {
  readonly socket: Socket;
  /** Requests without a whole answer. */
  waiting: number;
  /** What had been read when the last of them was answered: more is the beginning of another. */
  settled: number;
  /** What had been read when we looked last, and since when nothing more came. */
  seen: number;
  quietSince: number;
  /** What is done when every request that could be read is answered. */
  afterwards: (() => void) | undefined;
  /** Was an answer the last one, by its own word? */
  isOver: boolean;
  /** Is it only kept for its client to read the last answer? */
  isLingering: boolean;
  /** The last request, until it is whole and answered: what a connection keeps while it waits for the next is never young again. */
  last: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
}

/** Where a socket carries its connection. */
const carried = Symbol("connection");
type Carrying = Socket & { [carried]?: Connection | undefined };

/** A client that writes at the very moment at which we close would lose its request: only the quiet are closed, of the time there is this much. */
const quietShare = 1 / 5;
const longestQuiet = 2000;
const lookMilliseconds = 20;

/** Opens the set of connections, empty. */
export function openHttp1Connections(): Http1Connections {
  const open = new UnderWay<Connection>();
  let whenEmpty: (() => void) | undefined;

  const closeQuiet = (quiet: number): void => {
    const now = performance.now();
    for (const connection of open.all()) {
      const { socket } = connection;
      if (connection.isLingering) {
        if (now - connection.quietSince >= quiet) socket.destroy();
      } else if (socket.bytesRead !== connection.seen) {
        connection.seen = socket.bytesRead;
        connection.quietSince = now;
      } else if (isIdle(connection) && now - connection.quietSince >= quiet) closeIfStillQuiet(connection);
    }
  };
  const release = (socket: Carrying): void => {
    const connection = socket[carried];
    if (connection !== undefined) open.remove(connection);
    socket[carried] = undefined;
    if (open.size === 0) whenEmpty?.();
  };
  const lingerOn = (socket: Carrying): void => {
    const connection = socket[carried];
    if (connection !== undefined) connection.isLingering = true;
    linger(socket);
  };
  return {
    add: (socket: Carrying) => {
      const quietSince = performance.now();
      const connection: Connection = {
        socket,
        waiting: 0,
        settled: 0,
        seen: 0,
        quietSince,
        afterwards: undefined,
        isOver: false,
        isLingering: false,
        last: undefined,
        place: nowhere,
      };
      open.add(connection);
      socket[carried] = connection;
      socket.on("close", () => release(socket));
    },
    release,
    afterAnswers: (socket: Carrying, then) => {
      const connection = socket[carried];
      if (connection === undefined || !socket.writable || !isOwed(connection)) return then();
      connection.afterwards ??= then;
      socket.pause();
    },
    isAnsweredEarly: (socket: Carrying) => {
      const connection = socket[carried];
      return (
        connection !== undefined && (connection.isLingering || connection.isOver || saysClose(connection) || isAnsweredInPart(connection))
      );
    },
    answersEarly: (socket: Carrying) => {
      // Node calls this when the last answer of a connection is sent.
      socket.destroySoon = () => {
        Reflect.deleteProperty(socket, "destroySoon");
        if (socket[carried]?.last?.request.complete === false) lingerOn(socket);
        else socket.destroySoon();
      };
    },
    linger: lingerOn,
    begin: (request, response) => {
      const { [carried]: connection }: Carrying = request.socket;
      if (connection === undefined) return;
      connection.last = { request, response };
      connection.waiting += 1;
    },
    end: (socket: Carrying) => {
      const connection = socket[carried];
      if (connection === undefined) return;
      connection.isOver ||= saysClose(connection);
      if (connection.last?.request.complete === true) connection.last = undefined;
      connection.waiting -= 1;
      connection.settled = socket.bytesRead;
      connection.quietSince = performance.now();
      const { afterwards } = connection;
      if (afterwards === undefined || isOwed(connection)) return;
      connection.afterwards = undefined;
      afterwards();
    },
    close: async (milliseconds) => {
      if (open.size === 0) return;
      const empty = new Promise<void>((resolve) => (whenEmpty = resolve));
      const began = performance.now();
      for (const connection of open.all()) connection.quietSince = began;
      const look = setInterval(() => closeQuiet(Math.min(milliseconds * quietShare, longestQuiet)), lookMilliseconds);
      const late = setTimeout(() => {
        for (const { socket } of open.all()) socket.destroy();
      }, milliseconds);
      await empty;
      clearInterval(look);
      clearTimeout(late);
    },
  };
}

const isIdle = ({ socket, waiting, settled }: Connection): boolean => waiting === 0 && socket.bytesRead === settled;

/** Is there a whole request without an answer, or an answer that is not away? To one that will never be whole there may be none. */
function isOwed({ waiting, last }: Connection): boolean {
  const isUnanswerable = last !== undefined && !last.request.complete && !last.response.writableEnded;
  return waiting > (isUnanswerable ? 1 : 0);
}

/** Does the answer to the last request say that no other follows? */
function saysClose({ last }: Connection): boolean {
  // Node keeps to itself that `connection: close` was said.
  return last?.response.writableEnded === true && (!last.response.shouldKeepAlive || last.response.getHeader("connection") === "close");
}

/** Has the last request its answer, but not all of its bytes? What comes is then still a part of it. */
const isAnsweredInPart = ({ last }: Connection): boolean => last?.response.writableEnded === true && !last.request.complete;

/** A timer runs before the sockets are read: what has arrived in the meantime is read first. */
function closeIfStillQuiet(connection: Connection): void {
  setImmediate(() =>
    setImmediate(() => {
      if (isIdle(connection)) connection.socket.destroySoon();
    }),
  );
}
