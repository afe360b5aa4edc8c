import { useState } from "react";
import { messageOf } from "../../api/client";

interface Props {
  timer: { id: string };
  fire: () => Promise<unknown>;
  done: () => void;
}

export function FireTimer({ fire, done }: Props) {
  const [problem, setProblem] = useState("");
  return (
    <>
      <button type="button" className="small" onClick={() => void fire().then(done, (error: unknown) => setProblem(messageOf(error)))}>
        Fire now
      </button>
      {problem && <span className="problem">{problem}</span>}
    </>
  );
}
