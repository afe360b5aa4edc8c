import type { ReactNode } from "react";

const DRAWN: Record<string, ReactNode> = {
  home: <path d="M3 9.5 10 3l7 6.5V17h-4.5v-4.5h-5V17H3z" />,
  executions: <path d="M3 5h9M3 10h14M7 15h10" />,
  flows: <path d="M3 4h5v4H3zM12 12h5v4h-5zM8 6h3.5a1.5 1.5 0 0 1 1.5 1.5V12" />,
  tasks: <path d="m3 6 2 2 3-3.5M11 6h6M3 13.500l2 2 3-3.500M11 14h6" />,
  queues: <path d="M3 4h14v3H3zM3 9h14v3H3zM3 14h9v3H3z" />,
  workers: <path d="M4 4h12v9H4zM8 17h4M10 13v4M7 7.500h2M7 10h5" />,
  timers: <path d="M10 6v5l3 2M10 3a7.500 7.500 0 1 1 0 15 7.500 7.500 0 0 1 0-15M8 1.500h4" />,
  schedules: <path d="M3 5h14v12H3zM3 9h14M7 3v4M13 3v4" />,
  settings: <path d="M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4" />,
  search: <path d="M8.500 3a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11M12.500 12.500 17 17" />,
  copy: <path d="M7 7h10v10H7zM13 7V3H3v10h4" />,
  check: <path d="m3.500 10.500 4.500 4.500 8.500-10" />,
  close: <path d="m5 5 10 10M15 5 5 15" />,
  right: <path d="m8 5 5 5-5 5" />,
  down: <path d="m5 8 5 5 5-5" />,
  sun: <path d="M10 6.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7M10 1.500v2M10 16.500v2M1.500 10h2M16.500 10h2M4 4l1.400 1.400M14.600 14.600 16 16M16 4l-1.400 1.400M5.400 14.600 4 16" />,
  moon: <path d="M16.500 12A7 7 0 0 1 8 3.500a7 7 0 1 0 8.500 8.500z" />,
  system: <path d="M3 4h14v9.500H3zM7 17h6M10 13.500V17" />,
  retry: <path d="M4 10a6 6 0 1 1 2 4.500M4 17v-3.500h3.500" />,
  stop: <path d="M5 5h10v10H5z" />,
  play: <path d="M6 4l10 6-10 6z" />,
  pause: <path d="M7 4v12M13 4v12" />,
  signal: <path d="M4 10h9M10 6l4 4-4 4M17 4v12" />,
  menu: <path d="M3 5h14M3 10h14M3 15h14" />,
  plus: <path d="M10 4v12M4 10h12" />,
  globe: <path d="M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14M3 10h14M10 3c-5 4-5 10 0 14M10 3c5 4 5 10 0 14" />,
  mail: <path d="M3 5h14v10H3zM3 6l7 5 7-5" />,
  person: <path d="M10 3a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7M3.500 17c1-4 12-4 13 0" />,
  split: <path d="M3 10h5M8 10l5-6h4M8 10h9M8 10l5 6h4" />,
  join: <path d="M3 4h4l5 6h5M3 10h9M3 16h4l5-6" />,
  fork: <path d="M3 10h5l5-6h4M8 10l5 6h4" />,
  pencil: <path d="M3 17l1-4L13.500 3.500l3 3L7 16z" />,
  filter: <path d="M3 4h14l-5.500 6.500V16l-3 1v-6.500z" />,
  sort: <path d="M6 3v14l-3-3M14 17V3l3 3" />,
  undo: <path d="M4 8h8a4 4 0 0 1 0 8H8M4 8l4-4M4 8l4 4" />,
  tidy: <path d="M3 4h5v4H3zM12 4h5v4h-5zM3 12h5v4H3zM12 12h5v4h-5z" />,
  download: <path d="M10 3v10M6 9.500l4 4 4-4M4 17h12" />,
  upload: <path d="M10 14V4M6 7.500l4-4 4 4M4 17h12" />,
  trash: <path d="M4 6h12M8 6V3.500h4V6M6 6l.8 11h6.400L14 6" />,
  logout: <path d="M8 3H4v14h4M8 10h9M13.500 6.500 17 10l-3.500 3.500" />,
};

export function Icon({ name, size = 18 }: { name: string; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      {DRAWN[name]}
    </svg>
  );
}

export function Mark() {
  return (
    <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" className="mark-ground" />
      <path d="M10 6v20M22 6v20M10 16c3-4 9 4 12 0" className="mark-line" />
    </svg>
  );
}
