// Server-sent events over fetch: any event name, Last-Event-ID on reconnection, a stop that is clean.

import { reach, refusal, Refused } from "./client";

export interface StreamEvent {
  name: string;
  id: string;
  data: unknown;
}

interface Wanted {
  url: string;
  onEvents: (events: StreamEvent[]) => void;
  onState?: (state: StreamState) => void;
}

export type StreamState = "connecting" | "live" | "broken" | "ended";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Follow a stream until it ends (204) or is closed; what breaks is taken up where it stood. */
export function follow(wanted: Wanted): () => void {
  const stop = new AbortController();
  void run(wanted, stop.signal);
  return () => stop.abort();
}

async function run({ url, onEvents, onState }: Wanted, signal: AbortSignal): Promise<void> {
  let lastId = "";
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    onState?.("connecting");
    try {
      const headers: Record<string, string> = { accept: "text/event-stream" };
      if (lastId !== "") headers["last-event-id"] = lastId;
      const response = await reach(url, { headers, signal });
      if (response.status === 204) return onState?.("ended");
      if (!response.ok) throw await refusal(response);
      onState?.("live");
      pause = FIRST_PAUSE_MS;
      for await (const events of parsed(response)) {
        lastId = events.findLast((event) => event.id !== "")?.id ?? lastId;
        onEvents(events);
      }
    } catch (error) {
      if (signal.aborted) return;
      onState?.("broken");
      if (error instanceof Refused && error.status >= 400 && error.status < 500 && error.status !== 429) return;
    }
    await later(pause, signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

async function* parsed(response: Response): AsyncGenerator<StreamEvent[]> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    const events = blocks.map(eventOf).filter((event) => event !== null);
    if (events.length > 0) yield events;
  }
}

function eventOf(block: string): StreamEvent | null {
  let name = "message";
  let id = "";
  let data: string | null = null;
  for (const line of block.split("\n")) {
    if (line.startsWith("data: ")) data = data === null ? line.slice(6) : `${data}\n${line.slice(6)}`;
    else if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("id: ")) id = line.slice(4);
  }
  return data === null ? null : { name, id, data: JSON.parse(data) };
}

function later(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
