// Asks the REST API. Every call is named by method and path, and its types come from the OpenAPI description.

import type { Operations, Problem } from "./schema";

export type Operation = keyof Operations;
export type Answer<K extends Operation> = Operations[K]["answer"];
type Names<K extends Operation> = Operations[K]["names"];
type Query<K extends Operation> = Operations[K]["query"];
type Body<K extends Operation> = Operations[K]["body"];

export interface Asked<K extends Operation> {
  names?: Names<K>;
  query?: Query<K>;
  body?: Body<K>;
  signal?: AbortSignal;
  /** Another tenant than the one that the pages are about. */
  tenant?: string;
}

/** What the server refused, or that it could not be reached. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const SERVER_WIDE = /^\/(health|openapi|api)(\/|$)/;
let tenant = "default";

export function setTenant(name: string): void {
  tenant = name;
}

export function currentTenant(): string {
  return tenant;
}

export function address(path: string, names: Record<string, string> = {}, query: Record<string, unknown> = {}, of = tenant): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ""));
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") words.append(name, String(each));
    }
  }
  const base = SERVER_WIDE.test(path) ? "" : `/api/tenants/${encodeURIComponent(of)}`;
  return `${base}${filled}${words.size > 0 ? `?${words}` : ""}`;
}

export async function ask<K extends Operation>(operation: K, asked: Asked<K> = {}): Promise<Answer<K>> {
  const [method = "GET", path = "/"] = operation.split(" ");
  const url = address(path, asked.names as Record<string, string>, asked.query as Record<string, unknown>, asked.tenant);
  const body = asked.body === undefined ? undefined : JSON.stringify(asked.body);
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  const response = await reach(url, { method, headers, body, signal: asked.signal });
  if (!response.ok) throw await refusal(response);
  return (response.status === 204 ? undefined : await response.json()) as Answer<K>;
}

export async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    // The server takes the session's cookie only beside a header that pages of other sites cannot add.
    const headers = { ...init.headers, "x-holdfast-page": "1" };
    return await fetch(url, { ...init, headers, credentials: "same-origin", cache: "no-store" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Refused(0, "UNREACHABLE", "The server cannot be reached. Is it running? This page asks again by itself.");
  }
}

const signedOut = new Set<() => void>();

/** Call back when the server says that nobody is logged in. */
export function onSignedOut(tell: () => void): () => void {
  signedOut.add(tell);
  return () => signedOut.delete(tell);
}

export async function refusal(response: Response): Promise<Refused> {
  if (response.status === 401) signedOut.forEach((tell) => tell());
  try {
    const problem = (await response.json()) as Problem;
    return new Refused(response.status, problem.code, problem.message);
  } catch {
    return new Refused(response.status, "HTTP", `The server answered with status ${response.status}.`);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
