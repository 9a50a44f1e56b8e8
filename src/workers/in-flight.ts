/** Closes connections that were on their way to a worker that dies, or has no room for them: Node would keep them open, and their clients waiting, for ever. */
import type { ChildProcess, SendHandle } from "node:child_process";
import type { Worker } from "node:cluster";

/** The messages of node:cluster that hand a connection to a worker and acknowledge it; either may hold more fields. */
interface Handing {
  readonly cmd?: string;
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

type Closable = SendHandle & { readonly close?: () => void };

/** Watches over what is handed to a worker. */
export function watchHandedOut({ process: child }: Worker): void {
  /** Handed out and not taken yet, by the number of the message. */
  const underWay = new Map<number, Closable>();
  /** The numbers of those that are not known to have come through: Node hands one out after the other. */
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
  child.send = sending as ChildProcess["send"]; // its several forms are one function
  child.on("internalMessage", ({ cmd, ack }: Handing) => {
    if (ack !== undefined) underWay.delete(ack);
    if (cmd !== "NODE_HANDLE_ACK" && cmd !== "NODE_HANDLE_NACK") return;
    const seq = sent.shift();
    // The worker has as many files open as it may, and got the message without the connection. node:cluster would wait for it
    // to say that it has it, and hand it nothing more.
    if (cmd === "NODE_HANDLE_NACK") child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: seq, accepted: true });
  });
  const closeAll = (): void => {
    for (const handle of underWay.values()) handle.close?.();
    underWay.clear();
  };
  // Of one that is killed while it is handed something not always both are told.
  child.once("exit", closeAll);
  child.once("disconnect", closeAll);
}
