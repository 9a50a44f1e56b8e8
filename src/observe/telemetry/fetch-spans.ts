/** The spans of requests to other machines, below the call that causes them, with trace headers for the other side. */
import type { SpanContext } from "@opentelemetry/api";
import { messageOf } from "../../refusal.ts";
import type { FetchText } from "../../outgoing/fetch-text.ts";
import { headersOf } from "./propagation.ts";
import { isSampled, type SpanContexts } from "./span-contexts.ts";
import { kinds, nameOf, sortOf } from "./span-message.ts";
import type { SpanQueue } from "./span-queue.ts";

const names = { url: nameOf("url.full"), server: nameOf("server.address") } as const;
const fetching = sortOf("GET", kinds.client, { "http.request.method": "GET" });

/** Wraps `fetchText` so that each request has a span and carries its trace; `asking` returns the parent span. */
export const openFetchSpans =
  (contexts: SpanContexts, queue: SpanQueue, asking: () => SpanContext | undefined) =>
  (fetchText: FetchText): FetchText =>
  async (url, bounds) => {
    const parent = asking();
    const context = parent === undefined ? contexts.root() : contexts.below(parent);
    const start = performance.timeOrigin + performance.now();
    const end = (error?: unknown): void => {
      if (!isSampled(context)) return;
      queue.add({
        sort: fetching,
        context,
        parent,
        start,
        end: performance.timeOrigin + performance.now(),
        attributes: [
          [names.url, `${url.origin}${url.pathname}`],
          [names.server, url.hostname],
        ],
        trouble: error === undefined ? undefined : messageOf(error),
      });
    };
    try {
      const fetched = await fetchText(url, { ...bounds, headers: headersOf(context) });
      end();
      return fetched;
    } catch (error) {
      end(error);
      throw error;
    }
  };
