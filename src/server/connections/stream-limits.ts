/** Timeouts of gRPC streams: cuts off a request that does not end, and a response that nobody reads. */
import { constants, type ServerHttp2Stream } from "node:http2";
import type { ExchangeLimits } from "./exchanges.ts";
import { notListed, type ListItem, InProgressList } from "./in-progress-list.ts";

/** The streams in progress. */
export interface StreamLimits {
  readonly add: (stream: ServerHttp2Stream, path: string | undefined) => void;
  readonly streams: () => Iterable<ServerHttp2Stream>;
  readonly close: () => void;
}

interface Watched extends ListItem {
  readonly stream: ServerHttp2Stream;
  readonly began: number;
  /** Whether the client may keep sending requests on the stream for as long as it likes (reflection). */
  readonly converses: boolean;
  /** How many bytes of the response were waiting to be read at the last check, and since when there have been that many. */
  waiting: number;
  waitingSince: number;
}

/** Opens an empty set of streams; a limit of 0 means none. */
export function openStreamLimits({ readTimeout, writeTimeout }: ExchangeLimits): StreamLimits {
  const open = new InProgressList<Watched>();

  const isLate = (watched: Watched, now: number): boolean => {
    const { stream } = watched;
    const waiting = stream.writableLength;
    if (waiting !== watched.waiting) [watched.waiting, watched.waitingSince] = [waiting, now];
    if (writeTimeout > 0 && waiting > 0 && now - watched.waitingSince > writeTimeout) return true;
    if (readTimeout === 0 || watched.converses || now - watched.began <= readTimeout) return false;
    // The client has not ended its side, whether or not it has its answer.
    return stream.state.state === constants.NGHTTP2_STREAM_STATE_OPEN || isAnswered(stream);
  };
  const cutOffTheSlow = (): void => {
    const now = performance.now();
    for (const watched of open.all()) {
      const { stream } = watched;
      if (isLate(watched, now)) stream.close(isAnswered(stream) ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_CANCEL);
    }
  };
  const shortest = Math.min(...[readTimeout, writeTimeout, 4000].filter((limit) => limit > 0));
  const timer = setInterval(cutOffTheSlow, Math.max(shortest / 4, 20)).unref();

  return {
    add: (stream, path) => {
      const now = performance.now();
      const watched: Watched = { stream, began: now, converses: converses(path), waiting: 0, waitingSince: now, index: notListed };
      open.add(watched);
      stream.once("close", () => open.remove(watched));
    },
    streams: () => open.all().map(({ stream }) => stream),
    close: () => clearInterval(timer),
  };
}

/** Returns whether the client of a call may keep sending requests. */
export const converses = (path: string | undefined): boolean => path?.startsWith("/grpc.reflection.") ?? false;

/** Returns whether the whole response was sent although the client has not ended its side. */
const isAnswered = (stream: ServerHttp2Stream): boolean => stream.state.state === constants.NGHTTP2_STREAM_STATE_HALF_CLOSED_LOCAL;
