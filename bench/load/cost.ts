/** What a request costs a server: processor time of the server over the requests that it answered meanwhile. */
import { loadHttp, type Load, type LoadOptions } from "./http.ts";
import { processorTimeOf } from "./processes.ts";
import type { Subject } from "./subject.ts";

/** A load, and what it cost. */
export interface Cost extends Load {
  /** Microseconds of processor time a request, all threads and processes of the server together. */
  readonly processor: number;
  readonly requestsASecond: number;
}

/** Loads a server; an error voids the measurement. */
export async function costOf(subject: Subject, options: Omit<LoadOptions, "port">): Promise<Cost> {
  const [before, began] = [processorTimeOf(subject.pid), performance.now()];
  const load = await loadHttp({ ...options, port: subject.http });
  const seconds = (performance.now() - began) / 1000;
  const spent = processorTimeOf(subject.pid) - before;
  if (load.errors > 0 || load.requests === 0)
    throw new Error(`${load.errors} of ${load.requests} requests failed; the server says:\n${subject.printed().slice(-2000)}`);
  return { ...load, processor: (spent * 1000) / load.requests, requestsASecond: load.requests / seconds };
}

/** Asks once; the body of the answer, which must be a 200. */
export async function askOnce(port: number, body: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/check/resources`, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close" },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return text;
}
