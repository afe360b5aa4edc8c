// The history, as a story that people read or as the events that were recorded.

import { useMemo, useState } from "react";
import type { HistoryEvent } from "../../api/events";
import { brief, count, duration, exactly } from "../../parts/format";
import { VirtualList } from "../../parts/virtual";
import { changeQuery, usePlace } from "../../shell/router";
import { namesIn, sentenceOf } from "../../story/sentences";

const ROW = 36;

interface Props {
  events: readonly HistoryEvent[];
  selected: number | null;
  select: (event: HistoryEvent) => void;
}

export function History({ events, selected, select }: Props) {
  const { query } = usePlace();
  const raw = query.get("as") === "events";
  const show = (as: string | null) => changeQuery({ as }, { replace: true });
  const [text, setText] = useState("");
  const names = useMemo(() => namesIn(events), [events]);
  const found = useMemo(() => matching(events, text), [events, text]);
  const start = events[0]?.time ?? 0;
  return (
    <div className="history">
      <div className="tools">
        <div className="segmented" role="group" aria-label="How to show the history">
          <button type="button" aria-pressed={!raw} onClick={() => show(null)}>
            Story
          </button>
          <button type="button" aria-pressed={raw} onClick={() => show("events")}>
            Events
          </button>
        </div>
        <input type="search" aria-label="Search the history" placeholder="Search the history" value={text} onChange={(event) => setText(event.target.value)} />
        <span className="faint" role="status">
          {text ? `${count(found.length)} of ${count(events.length)}` : count(events.length)} events
        </span>
      </div>
      <VirtualList
        label="History"
        className={raw ? "events-raw" : "events-story"}
        items={found}
        rowHeight={ROW}
        keyOf={(event) => String(event.sequence)}
        onOpen={select}
        selected={(event) => event.sequence === selected}
        row={(event) => (
          <>
            <span role="cell" className="number">
              {event.sequence}
            </span>
            <span role="cell" className="offset" title={exactly(event.time)}>
              +{duration(event.time - start)}
            </span>
            {raw ? <RawCells event={event} /> : <StoryCell event={event} sentence={sentenceOf(event, names)} />}
          </>
        )}
      />
    </div>
  );
}

function RawCells({ event }: { event: HistoryEvent }) {
  return (
    <>
      <span role="cell" className="type cut">
        {event.type}
      </span>
      <span role="cell" className="cut mono faint">
        {brief(event.data, 400)}
      </span>
    </>
  );
}

function StoryCell({ event, sentence }: { event: HistoryEvent; sentence: ReturnType<typeof sentenceOf> }) {
  return (
    <span role="cell" className="cut sentence" data-type={event.type}>
      <span className={`dot tone-${sentence.tone}`} aria-hidden="true" />
      <span>{sentence.verb}</span> <strong>{sentence.object}</strong> <span className="faint">{sentence.detail}</span>
    </span>
  );
}

function matching(events: readonly HistoryEvent[], text: string): readonly HistoryEvent[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return events;
  return events.filter((event) => `${event.type} ${JSON.stringify(event.data)}`.toLowerCase().includes(wanted));
}
