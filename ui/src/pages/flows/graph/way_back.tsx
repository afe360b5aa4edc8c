// The way from the end of a row of nodes to the beginning of the next one: between the rows, and not across the nodes.

import { BaseEdge, getSmoothStepPath, type Edge, type EdgeProps } from "@xyflow/react";

const CORNER = 14;
const BESIDE = 26;

export function WayBack({ id, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, markerEnd, data }: EdgeProps<Edge<{ back: number }>>) {
  const [path] = getSmoothStepPath({ sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition, borderRadius: CORNER, offset: BESIDE, centerY: data?.back });
  return <BaseEdge id={id} path={path} markerEnd={markerEnd} />;
}
