/** What is said to whoever sends more bytes than a request may have, over either transport. */

/** Returns the sentence. */
export const tooLarge = (mostBytes: number): string =>
  `the request is larger than ${mostBytes} bytes (setting server.advanced.grpc.maxRecvMsgSizeBytes)`;
