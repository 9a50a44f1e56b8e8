/** Connections on their way to a worker that dies: they are closed, as those that it has; Node would keep them open, and their clients waiting, for ever. */
import type { ChildProcess, SendHandle } from "node:child_process";
import type { Worker } from "node:cluster";

/** What node:cluster says to a worker that is to take a connection, and what it hears: either may hold more. */
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
  const send: (...message: Parameters<ChildProcess["send"]>) => boolean = child.send.bind(child);
  const sending = (...given: Parameters<ChildProcess["send"]>): boolean => {
    const [message, handle] = given;
    const { cmd, act, seq }: Handing = typeof message === "object" ? message : {};
    if (cmd === "NODE_CLUSTER" && act === "newconn" && seq !== undefined && handle !== undefined) underWay.set(seq, handle);
    return send(...given);
  };
  child.send = sending as ChildProcess["send"]; // its several forms are one function
  child.on("internalMessage", ({ ack }: Handing) => void (ack !== undefined && underWay.delete(ack)));
  const closeAll = (): void => {
    for (const handle of underWay.values()) handle.close?.();
    underWay.clear();
  };
  // Of one that is killed while it is handed something not always both are told.
  child.once("exit", closeAll);
  child.once("disconnect", closeAll);
}
