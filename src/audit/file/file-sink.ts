/** The sink that writes lines to a file, to standard output or standard error, and to further files as configured. */
import type { Stats } from "node:fs";
import { openOutbox, type Outbox } from "../outbox.ts";
import type { SinkConfig, SinkOptions } from "../sink-options.ts";
import type { Sink } from "../sink.ts";
import { closeFile, fileStatus } from "./descriptor.ts";
import { openPages } from "./direct-writer.ts";
import { openLineFile } from "./line-file.ts";
import { enoughBytes, openLineQueue } from "./line-queue.ts";
import { openLineStream } from "./line-stream.ts";
import { entryLines, type Line } from "./lines.ts";
import { openTarget } from "./output-target.ts";
import { segmentRules } from "./segments.ts";

/** How many milliseconds a line waits for others: writing one line costs as much as writing a hundred. */
const delayMilliseconds = 20;

/** One block being written, one being filled, and two for when the disk is late. */
const blocks = 4;

/** Opens every path; rejects with a refusal when one of them cannot be opened. */
export async function openFileSink(config: SinkConfig, options: SinkOptions): Promise<Sink> {
  const first = config["audit.file.path"];
  const paths = new Set([first, ...config["audit.file.additionalPaths"]]);
  const rules = segmentRules(config);
  const outboxes: Outbox<Line>[] = [];
  const places: Stats[] = [];
  try {
    for (const path of paths) {
      const target = await openTarget(path, path === first ? "audit.file.path" : "audit.file.additionalPaths");
      const place = target.kind === "file" ? target.status : await fileStatus(target.descriptor).catch(() => undefined); // closed
      // Two names may lead to the same file or pipe.
      if (place !== undefined && places.some(({ dev, ino }) => dev === place.dev && ino === place.ino)) {
        if (target.kind === "file" || target.ours) await closeFile(target.descriptor);
        continue;
      }
      if (place !== undefined) places.push(place);
      const memory = openPages(blocks);
      const destination = target.kind === "file" ? await openLineFile(target, rules, options.log, memory) : openLineStream(target);
      outboxes.push(
        openOutbox(openLineQueue(memory), destination, {
          ...options,
          delayMilliseconds,
          enoughEntries: Number.POSITIVE_INFINITY,
          enoughSize: enoughBytes,
        }),
      );
    }
  } catch (error) {
    await Promise.all(outboxes.map(({ close }) => close(0)));
    throw error;
  }
  return {
    write: (entry) => {
      for (const { send } of outboxes) send(entry);
    },
    writeLines: (lines) => {
      const each = entryLines(lines);
      for (const { send } of outboxes) each.forEach(send);
    },
    close: async (milliseconds) => {
      await Promise.all(outboxes.map(({ close }) => close(milliseconds)));
    },
  };
}
