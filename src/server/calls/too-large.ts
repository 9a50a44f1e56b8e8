/** The error message for a request that is larger than the limit, the same over either transport. */

/** Returns the message. */
export const tooLarge = (maxBytes: number): string =>
  `the request is larger than ${maxBytes} bytes (setting server.advanced.grpc.maxRecvMsgSizeBytes)`;
