/** Tracks HTTP/1 connections: which of them wait for a response, and how each is closed without losing a request. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { linger } from "./linger.ts";
import { notListed, type ListItem, InProgressList } from "./in-progress-list.ts";

/** The connections of a listener. */
export interface Http1Connections {
  /** Adds a connection as soon as it is accepted, before its protocol is known. */
  readonly add: (socket: Socket) => void;
  /** Removes a connection that speaks HTTP/2. */
  readonly release: (socket: Socket) => void;
  /** Called when a request begins, and (`end`) when its response has been sent or aborted. */
  readonly begin: (request: IncomingMessage, response: ServerResponse) => void;
  readonly end: (socket: Socket) => void;
  /**
   * Called when the bytes of a connection cannot be parsed. Stops reading, and calls `then` once the earlier requests have been
   * answered. Further calls before that are ignored.
   */
  readonly afterResponses: (socket: Socket, then: () => void) => void;
  /**
   * Returns whether the last request was answered before it had arrived completely, or with `connection: close`. Bytes that follow get
   * no response.
   */
  readonly hasRespondedEarly: (socket: Socket) => boolean;
  /**
   * Called when a response is sent before its request has arrived completely. If the connection ends with it, the client is given time
   * to read the response.
   */
  readonly respondsEarly: (socket: Socket) => void;
  /** Closes a connection whose client may still be sending. */
  readonly linger: (socket: Socket) => void;
  /**
   * Closes each connection once it has been quiet for a while and awaits no response, and destroys those left after `milliseconds`.
   * Meanwhile, responses must carry `connection: close`.
   */
  readonly close: (milliseconds: number) => Promise<void>;
}

interface Connection extends ListItem {
  readonly socket: Socket;
  /** The number of requests that have not been answered completely. */
  waiting: number;
  /** How many bytes had been read when the last of them was answered: more bytes are the beginning of another request. */
  settled: number;
  /** How many bytes had been read at the last check, and since when that number has not changed. */
  seen: number;
  quietSince: number;
  /** Called when every request that could be parsed has been answered. */
  afterwards: (() => void) | undefined;
  /** Whether a response carried `connection: close`. */
  isOver: boolean;
  /** Whether the connection is only kept open until its client has read the last response. */
  isLingering: boolean;
  /**
   * The last request, until it has arrived and been answered. It is cleared then, because what an idle connection refers to is promoted
   * to the old generation of the heap.
   */
  last: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
}

/** The property of a socket that holds its connection. */
const attached = Symbol("connection");
type WithConnection = Socket & { [attached]?: Connection | undefined };

/**
 * A client that writes in the moment in which we close would lose its request. Therefore only quiet connections are closed; they must
 * have been quiet for this share of the shutdown time.
 */
const quietShare = 1 / 5;
const longestQuiet = 2000;
const lookMilliseconds = 20;

/** Opens an empty set of connections. */
export function openHttp1Connections(): Http1Connections {
  const open = new InProgressList<Connection>();
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
  const release = (socket: WithConnection): void => {
    const connection = socket[attached];
    if (connection !== undefined) open.remove(connection);
    socket[attached] = undefined;
    if (open.size === 0) whenEmpty?.();
  };
  const lingerOn = (socket: WithConnection): void => {
    const connection = socket[attached];
    if (connection !== undefined) connection.isLingering = true;
    linger(socket);
  };
  return {
    add: (socket: WithConnection) => {
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
        index: notListed,
      };
      open.add(connection);
      socket[attached] = connection;
      socket.on("close", () => release(socket));
    },
    release,
    afterResponses: (socket: WithConnection, then) => {
      const connection = socket[attached];
      if (connection === undefined || !socket.writable || !awaitsResponse(connection)) return then();
      connection.afterwards ??= then;
      socket.pause();
    },
    hasRespondedEarly: (socket: WithConnection) => {
      const connection = socket[attached];
      return (
        connection !== undefined &&
        (connection.isLingering || connection.isOver || saysClose(connection) || hasRespondedBeforeEnd(connection))
      );
    },
    respondsEarly: (socket: WithConnection) => {
      // Node calls `destroySoon` when the last response of a connection has been sent.
      socket.destroySoon = () => {
        Reflect.deleteProperty(socket, "destroySoon");
        if (socket[attached]?.last?.request.complete === false) lingerOn(socket);
        else socket.destroySoon();
      };
    },
    linger: lingerOn,
    begin: (request, response) => {
      const { [attached]: connection }: WithConnection = request.socket;
      if (connection === undefined) return;
      connection.last = { request, response };
      connection.waiting += 1;
    },
    end: (socket: WithConnection) => {
      const connection = socket[attached];
      if (connection === undefined) return;
      connection.isOver ||= saysClose(connection);
      if (connection.last?.request.complete === true) connection.last = undefined;
      connection.waiting -= 1;
      connection.settled = socket.bytesRead;
      connection.quietSince = performance.now();
      const { afterwards } = connection;
      if (afterwards === undefined || awaitsResponse(connection)) return;
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

/** Returns whether a response is still due. A request that will never arrive completely, and has no response yet, does not count. */
function awaitsResponse({ waiting, last }: Connection): boolean {
  const isUnanswerable = last !== undefined && !last.request.complete && !last.response.writableEnded;
  return waiting > (isUnanswerable ? 1 : 0);
}

/** Returns whether the response to the last request announces that no other follows. */
function saysClose({ last }: Connection): boolean {
  // Node does not expose whether it sent `connection: close`.
  return last?.response.writableEnded === true && (!last.response.shouldKeepAlive || last.response.getHeader("connection") === "close");
}

/** Returns whether the last request was answered before it had arrived completely. Bytes that arrive are then still a part of it. */
const hasRespondedBeforeEnd = ({ last }: Connection): boolean => last?.response.writableEnded === true && !last.request.complete;

/** Timers run before sockets are read. Two turns of the event loop let the bytes that have arrived be read first. */
function closeIfStillQuiet(connection: Connection): void {
  setImmediate(() =>
    setImmediate(() => {
      if (isIdle(connection)) connection.socket.destroySoon();
    }),
  );
}
