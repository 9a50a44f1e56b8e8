/** What goes back and forth over HTTP: measured, and cut off when a client dawdles. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpExchange } from "../observe/events.ts";

/** A request and its answer under way. */
export interface Exchange {
  requestBytes: number;
  responseBytes: number;
  /** Since when the client is being sent the answer, or its latest part. */
  sendingSince: number | undefined;
}

/** Every exchange under way. */
export interface Exchanges {
  readonly begin: (request: IncomingMessage, response: ServerResponse) => Exchange;
  /** Told when the answer is whole or given up. */
  readonly end: (request: IncomingMessage) => void;
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

/** Opens the set of exchanges, empty; `ended` is told of each. */
export function openExchanges({ readTimeout, writeTimeout }: ExchangeLimits, ended: (exchange: HttpExchange) => void): Exchanges {
  interface Open extends Exchange {
    readonly began: number;
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
  }
  const open = new Map<IncomingMessage, Open>();

  const cutOffTheSlow = (): void => {
    const now = performance.now();
    for (const { request, response, began, sendingSince } of open.values()) {
      // Node looks after HTTP/1 itself, and has an answer for it.
      const reading = sendingSince === undefined && !request.complete && request.httpVersionMajor === 2;
      if (reading && readTimeout > 0 && now - began > readTimeout) response.destroy();
      if (sendingSince !== undefined && writeTimeout > 0 && now - sendingSince > writeTimeout) response.destroy();
    }
  };
  const shortest = Math.min(...[readTimeout, writeTimeout, 4000].filter((limit) => limit > 0));
  const timer = setInterval(cutOffTheSlow, Math.max(shortest / 4, 20)).unref();

  return {
    begin: (request, response) => {
      const exchange: Open = { began: performance.now(), request, response, requestBytes: 0, responseBytes: 0, sendingSince: undefined };
      open.set(request, exchange);
      return exchange;
    },
    end: (request) => {
      const exchange = open.get(request);
      if (exchange === undefined) return;
      open.delete(request);
      const { response, began, requestBytes, responseBytes } = exchange;
      ended({
        method: request.method ?? "",
        target: request.url ?? "",
        status: response.writableFinished ? response.statusCode : clientGone,
        milliseconds: performance.now() - began,
        requestBytes,
        responseBytes,
      });
    },
    of: (request) => open.get(request),
    close: () => clearInterval(timer),
  };
}
