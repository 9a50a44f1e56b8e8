/** Notifies systemd (`Type=notify`) that we are ready and that we stop; by the command systemd-notify, because Node has no Unix datagram sockets. */
import { execFile } from "node:child_process";
import type { Environment } from "../config/environment.ts";
import type { Log } from "../observe/log.ts";

/** Notifies systemd. */
export interface ServiceManager {
  readonly ready: () => void;
  readonly stopping: () => void;
}

/** Opens the notifier; without NOTIFY_SOCKET it does nothing. */
export function openServiceManager(environment: Environment, log: Log): ServiceManager {
  const { NOTIFY_SOCKET: socket, PATH: path } = environment;
  const tell = (word: "--ready" | "--stopping"): void => {
    if (socket === undefined || socket === "") return;
    execFile("systemd-notify", [word, `--pid=${process.pid}`], { env: { NOTIFY_SOCKET: socket, PATH: path } }, (error) => {
      if (error !== null) log.warn({ err: error }, `systemd could not be told ${word}`);
    });
  };
  return { ready: () => tell("--ready"), stopping: () => tell("--stopping") };
}
