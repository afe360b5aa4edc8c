// Long lists: only the rows that can be seen are in the page, whatever their number.

import { useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

interface Props<T> {
  items: readonly T[];
  rowHeight: number;
  label: string;
  header?: ReactNode;
  row: (item: T, index: number) => ReactNode;
  keyOf: (item: T, index: number) => string;
  onNearEnd?: () => void;
  onOpen?: (item: T) => void;
  selected?: (item: T) => boolean;
  className?: string;
  total?: number;
  columns?: number;
}

const OVERSCAN = 8;
const NEAR_END = 30;

export function VirtualList<T>(props: Props<T>) {
  const { items, rowHeight, onNearEnd, onOpen } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ first: 0, last: 40 });
  const [active, setActive] = useState(-1);

  const look = useCallback(() => {
    const element = frame.current;
    if (element === null) return;
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - OVERSCAN);
    const last = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + OVERSCAN;
    setView((before) => (before.first === first && before.last === last ? before : { first, last }));
  }, [rowHeight]);

  useLayoutEffect(look, [look, items.length]);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [look]);
  const nearEnd = view.last + NEAR_END >= items.length;
  useEffect(() => {
    if (nearEnd) onNearEnd?.();
  }, [nearEnd, items.length, onNearEnd]);

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    if (event.target instanceof HTMLInputElement) return;
    const page = Math.floor((frame.current?.clientHeight ?? 400) / rowHeight) - 1;
    const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page };
    const to = event.key === "Home" ? 0 : event.key === "End" ? items.length - 1 : active + (steps[event.key] ?? NaN);
    if (event.key === "Enter" && active >= 0 && event.target === frame.current) {
      const item = items[active];
      if (item !== undefined) onOpen?.(item);
      return;
    }
    if (Number.isNaN(to)) return;
    event.preventDefault();
    const next = Math.min(items.length - 1, Math.max(0, to));
    setActive(next);
    const element = frame.current;
    if (element === null) return;
    const top = next * rowHeight;
    const space = element.clientHeight - rowHeight - HEADER_HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top > element.scrollTop + space) element.scrollTop = top - space;
  }

  const shown = items.slice(view.first, view.last);
  return (
    <div
      ref={frame}
      className={`virtual ${props.className ?? ""}`}
      role="table"
      aria-label={props.label}
      aria-rowcount={props.total ?? items.length}
      tabIndex={0}
      onScroll={look}
      onKeyDown={onKeyDown}
    >
      {props.header && (
        <div className="virtual-header" role="rowgroup">
          {props.header}
        </div>
      )}
      <div className="virtual-body" role="rowgroup" style={{ height: items.length * rowHeight }}>
        {shown.map((item, offset) => {
          const index = view.first + offset;
          const marks = `${index === active ? " active" : ""}${props.selected?.(item) ? " selected" : ""}`;
          return (
            <div
              key={props.keyOf(item, index)}
              role="row"
              aria-rowindex={index + 1}
              className={`row${marks}`}
              style={{ height: rowHeight, transform: `translateY(${index * rowHeight}px)` }}
              onClick={(event) => {
                setActive(index);
                if (!(event.target as Element).closest("a, button, input, label")) onOpen?.(item);
              }}
            >
              {props.row(item, index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const HEADER_HEIGHT = 34;
