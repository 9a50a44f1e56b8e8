/**
 * Closes connections that were being passed to a worker that died, or that has no free file descriptor: Node would keep them open, and
 * their clients waiting, forever.
 */
import type { ChildProcess, SendHandle } from "node:child_process";
import type { Worker } from "node:cluster";

/** The messages of node:cluster that pass a connection to a worker and acknowledge it; either may have more fields. */
interface Handing {
  readonly cmd?: string;
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

type Closable = SendHandle & { readonly close?: () => void };

/** Tracks the connections that are passed to a worker. */
export function trackConnectionsInFlight({ process: child }: Worker): void {
  /** Connections that were passed and not accepted yet, by the number of the message. */
  const underWay = new Map<number, Closable>();
  /** The numbers of the messages whose handle was not acknowledged yet; Node sends one handle after the other. */
  const sent: number[] = [];
  const send: (...message: Parameters<ChildProcess["send"]>) => boolean = child.send.bind(child);
  const sending = (...given: Parameters<ChildProcess["send"]>): boolean => {
    const [message, handle] = given;
    const { cmd, act, seq }: Handing = typeof message === "object" ? message : {};
    if (cmd === "NODE_CLUSTER" && act === "newconn" && seq !== undefined && handle !== undefined) {
      underWay.set(seq, handle);
      sent.push(seq);
    }
    return send(...given);
  };
  child.send = sending as ChildProcess["send"]; // its overloads are one function
  child.on("internalMessage", ({ cmd, ack }: Handing) => {
    if (ack !== undefined) underWay.delete(ack);
    if (cmd !== "NODE_HANDLE_ACK" && cmd !== "NODE_HANDLE_NACK") return;
    const seq = sent.shift();
    // The worker has no free file descriptor, and got the message without the connection. node:cluster would wait for its
    // acknowledgement, and pass it nothing more.
    if (cmd === "NODE_HANDLE_NACK") child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: seq, accepted: true });
  });
  const closeAll = (): void => {
    for (const handle of underWay.values()) handle.close?.();
    underWay.clear();
  };
  // When a worker is killed while a connection is passed, sometimes only one of these events is emitted.
  child.once("exit", closeAll);
  child.once("disconnect", closeAll);
}
