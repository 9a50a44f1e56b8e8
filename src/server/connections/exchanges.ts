/** HTTP exchanges (a request and its response) under way: each is measured, and cut off when its client is too slow. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpExchange } from "../../observe/events.ts";
import { notListed, type ListItem, InProgressList } from "./in-progress-list.ts";

/** A request and its response in progress. */
export interface Exchange {
  requestBytes: number;
  responseBytes: number;
  /**
   * When the last chunk of the response was handed to the socket, in the milliseconds of `performance.now()`; undefined before the
   * first.
   */
  sendingSince: number | undefined;
}

/** An exchange with what is needed to report and abort it. */
export interface OpenExchange extends Exchange, ListItem {
  readonly began: number;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** All exchanges in progress. */
export interface Exchanges {
  readonly begin: (request: IncomingMessage, response: ServerResponse) => OpenExchange;
  /** Called when the response has been sent or aborted. */
  readonly end: (exchange: OpenExchange) => void;
  readonly of: (request: IncomingMessage) => Exchange | undefined;
  readonly close: () => void;
}

/** Timeouts in milliseconds; 0 means none. */
export interface ExchangeLimits {
  readonly readTimeout: number;
  readonly writeTimeout: number;
}

/** The status that is recorded when the client went away, as gRPC gateways do. */
const clientGone = 499;

/** The property of a request that holds its exchange. */
const attached = Symbol("exchange");
type WithExchange = IncomingMessage & { [attached]?: OpenExchange };

/** Opens an empty set of exchanges; `ended` is called for each that ends. */
export function openExchanges({ readTimeout, writeTimeout }: ExchangeLimits, ended: (exchange: HttpExchange) => void): Exchanges {
  const open = new InProgressList<OpenExchange>();

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
      // Before version 24, Node emits no event for a pipelined response whose connection is gone.
      if (request.httpVersionMajor === 1 && request.socket.destroyed) {
        end(exchange);
        continue;
      }
      // For HTTP/1, Node enforces the read timeout itself and sends an error response.
      const reading = sendingSince === undefined && !request.complete && request.httpVersionMajor === 2;
      if (reading && readTimeout > 0 && now - began > readTimeout) response.destroy();
      if (sendingSince !== undefined && writeTimeout > 0 && now - sendingSince > writeTimeout) response.destroy();
    }
  };
  const shortest = Math.min(...[readTimeout, writeTimeout, 4000].filter((limit) => limit > 0));
  const timer = setInterval(cutOffTheSlow, Math.max(shortest / 4, 20)).unref();

  return {
    begin: (request: WithExchange, response) => {
      const began = performance.now();
      const exchange = { began, request, response, requestBytes: 0, responseBytes: 0, sendingSince: undefined, index: notListed };
      open.add(exchange);
      return (request[attached] = exchange);
    },
    end,
    of: (request: WithExchange) => request[attached],
    close: () => clearInterval(timer),
  };
}
