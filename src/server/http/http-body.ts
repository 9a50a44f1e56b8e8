/** Reads the body of a request for the framework, whose own reader keeps every piece of it: a body that comes a byte at a time would fill the memory. */
import type { IncomingMessage } from "node:http";
import { errorCodes } from "fastify";
import { Pieces } from "../connections/pieces.ts";

/** Called once, with the body or with why it cannot be read. */
export type BodyRead = (error: Error | null, body?: Buffer) => void;

/** Reads a body of at most `maxBytes`. What goes on beyond that is thrown away. */
export function readBody(request: IncomingMessage, maxBytes: number, done: BodyRead): void {
  const said = Number(request.headers["content-length"]);
  if (said > maxBytes) return done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
  const pieces = new Pieces();
  const finish: BodyRead = (error, body) => {
    request.off("data", hear).off("end", end).off("error", broken);
    done(error, body);
  };
  const broken = (error: Error): void => finish(Object.assign(error, { statusCode: 400 }));
  const hear = (piece: Buffer): void => {
    pieces.add(piece);
    if (pieces.length > maxBytes) finish(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
  };
  const end = (): void => {
    if (Number.isNaN(said) || said === pieces.length) finish(null, pieces.all());
    else finish(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
  };
  request.on("data", hear).on("end", end).on("error", broken).resume();
}
