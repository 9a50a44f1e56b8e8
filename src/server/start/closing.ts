/** A stack of what is open, closed in reverse order. */

/** What is open. */
export interface Closing {
  readonly add: (close: () => unknown) => void;
  readonly closeAll: () => Promise<void>;
}

/** Opens an empty stack. */
export function openClosing(): Closing {
  const open: (() => unknown)[] = [];
  return {
    add: (close) => void open.push(close),
    closeAll: async () => {
      for (let close = open.pop(); close !== undefined; close = open.pop()) await close();
    },
  };
}
