// Which workers are there.

import type { WorkerDocument } from "../api/schema";

const SILENT_MS = 60_000;

export const isOnline = (worker: WorkerDocument, now: number): boolean => now - Date.parse(worker.heard_at) < SILENT_MS;
