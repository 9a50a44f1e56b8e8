/** An agent whose connections lead to one https server through a proxy, for packages that send requests themselves. */
import { Agent } from "node:https";
import type { Duplex } from "node:stream";
import type { HttpProxy } from "./proxies.ts";
import { openTunnel, type Trust } from "./tunnel.ts";

/** The server, and for how long at most a connection to it may take to be opened. */
export interface ProxiedServer {
  readonly url: URL;
  readonly trust: Trust;
  readonly milliseconds: number;
}

/** Connections are kept for the next request; `destroy` also gives up those that are being opened. */
export class ProxyAgent extends Agent {
  readonly #proxy: HttpProxy;
  readonly #server: ProxiedServer;
  readonly #closing = new AbortController();

  constructor(proxy: HttpProxy, server: ProxiedServer) {
    super({ keepAlive: true });
    this.#proxy = proxy;
    this.#server = server;
  }

  override createConnection(_options: unknown, opened?: (error: Error | null, stream: Duplex) => void): undefined {
    const { url, trust, milliseconds } = this.#server;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(milliseconds)]);
    openTunnel(this.#proxy, url, trust, signal).then(
      (socket) => opened?.(null, socket),
      (error) => (opened as ((error: unknown) => void) | undefined)?.(error), // with an error there is no stream, whatever the type says
    );
  }

  override destroy(): void {
    this.#closing.abort();
    super.destroy();
  }
}
