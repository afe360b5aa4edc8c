// Bars over time. Small on purpose: what a chart library would add, these pages do not need.

import type { ReactNode } from "react";

export interface Bar {
  key: string | number;
  parts: { tone: string; value: number }[];
  title: string;
}

interface Props {
  bars: Bar[];
  label: string;
  from: ReactNode;
  to: ReactNode;
  height?: number;
}

const WIDTH = 600;

export function Bars({ bars, label, from, to, height = 120 }: Props) {
  const most = Math.max(1, ...bars.map((bar) => sum(bar)));
  const step = WIDTH / Math.max(1, bars.length);
  return (
    <figure className="chart">
      <svg viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" role="img" aria-label={label} height={height}>
        {bars.map((bar, index) => {
          let top = height;
          return (
            <g key={bar.key}>
              <title>{bar.title}</title>
              <rect x={index * step} y={0} width={step} height={height} className="chart-hit" />
              {bar.parts.map(({ tone, value }) => {
                const tall = value === 0 ? 0 : Math.max(2, (value / most) * (height - 4));
                top -= tall;
                return <rect key={tone} x={index * step + step * 0.12} y={top} width={step * 0.76} height={tall} className={`tone-${tone}`} />;
              })}
            </g>
          );
        })}
        <line x1={0} x2={WIDTH} y1={height - 0.5} y2={height - 0.5} className="chart-ground" />
      </svg>
      <figcaption className="faint">
        <span>{from}</span>
        <span>{to}</span>
      </figcaption>
    </figure>
  );
}

const sum = (bar: Bar): number => bar.parts.reduce((total, { value }) => total + value, 0);
