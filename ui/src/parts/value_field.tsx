// A JSON value, typed by hand: told at once when it cannot be read.

export interface Typed {
  text: string;
  value?: unknown;
  problem?: string;
}

export function typed(text: string): Typed {
  if (text.trim() === "") return { text, value: null };
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch (error) {
    return { text, problem: error instanceof Error ? error.message : String(error) };
  }
}

interface Props {
  label: string;
  typed: Typed;
  change: (value: Typed) => void;
  rows?: number;
  focus?: boolean;
}

const CHOICES = ["true", "false", "null", "{}"];

export function ValueField({ label, typed: current, change, rows = 4, focus = true }: Props) {
  return (
    <div className="field wide">
      <label>
        <span>{label}, as JSON</span>
        <textarea
          autoFocus={focus}
          rows={rows}
          spellCheck={false}
          className="mono"
          value={current.text}
          aria-invalid={current.problem !== undefined}
          onChange={(event) => change(typed(event.target.value))}
        />
      </label>
      <div className="choices">
        {CHOICES.map((each) => (
          <button key={each} type="button" className="small" onClick={() => change(typed(each))}>
            {each}
          </button>
        ))}
        <span className="problem" role="status">
          {current.problem ? `Not JSON yet: ${current.problem}. Text needs "quotes".` : ""}
        </span>
      </div>
    </div>
  );
}
