/** HTTP exchanges (a request and its response) under way: each is measured, and cut off when its client is too slow. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpExchange } from "../../observe/events.ts";
import { nowhere, type Placed, UnderWay } from "./under-way.ts";

/** A request and its answer under way. */
export interface Exchange {
  requestBytes: number;
  responseBytes: number;
  /** Since when the client is being sent the answer, or its latest part. */
  sendingSince: number | undefined;
}

/** An exchange and what it is told of when it ends. */
export interface OpenExchange extends Exchange, Placed {
  readonly began: number;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Every exchange under way. */
export interface Exchanges {
  readonly begin: (request: IncomingMessage, response: ServerResponse) => OpenExchange;
  /** Told when the answer is whole or given up. */
  readonly end: (exchange: OpenExchange) => void;
  readonly of: (request: IncomingMessage) => Exchange | undefined;
  readonly close: () => void;
}

/** How long it may take; 0: for ever. */
export interface ExchangeLimits {
  readonly readTimeout: number;
  readonly writeTimeout: number;
}

/** The status that stands for a client that went away, as gRPC's gateways write it. */
const clientGone = 499;

/** Where a request carries its exchange. */
const carried = Symbol("exchange");
type Carrying = IncomingMessage & { [carried]?: OpenExchange };

/** Opens the set of exchanges, empty; `ended` is told of each. */
export function openExchanges({ readTimeout, writeTimeout }: ExchangeLimits, ended: (exchange: HttpExchange) => void): Exchanges {
  const open = new UnderWay<OpenExchange>();

  const end = (exchange: OpenExchange): void => {
    if (!open.remove(exchange)) return;
    const { request, response, began, requestBytes, responseBytes } = exchange;
    ended({
      method: request.method ?? "",
      target: request.url ?? "",
      status: response.writableFinished ? response.statusCode : clientGone,
      milliseconds: performance.now() - began,
      requestBytes,
      responseBytes,
    });
  };

  const cutOffTheSlow = (): void => {
    const now = performance.now();
    for (const exchange of open.all()) {
      const { request, response, began, sendingSince } = exchange;
      // Before 24, Node does not tell an answer that waits for others of its connection that the connection is gone.
      if (request.httpVersionMajor === 1 && request.socket.destroyed) {
        end(exchange);
        continue;
      }
      // Node looks after HTTP/1 itself, and has an answer for it.
      const reading = sendingSince === undefined && !request.complete && request.httpVersionMajor === 2;
      if (reading && readTimeout > 0 && now - began > readTimeout) response.destroy();
      if (sendingSince !== undefined && writeTimeout > 0 && now - sendingSince > writeTimeout) response.destroy();
    }
  };
  const shortest = Math.min(...[readTimeout, writeTimeout, 4000].filter((limit) => limit > 0));
  const timer = setInterval(cutOffTheSlow, Math.max(shortest / 4, 20)).unref();

  return {
    begin: (request: Carrying, response) => {
      const began = performance.now();
      const exchange = { began, request, response, requestBytes: 0, responseBytes: 0, sendingSince: undefined, place: nowhere };
      open.add(exchange);
      return (request[carried] = exchange);
    },
    end,
    of: (request: Carrying) => request[carried],
    close: () => clearInterval(timer),
  };
}
