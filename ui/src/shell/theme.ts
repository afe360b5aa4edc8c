export type Theme = "system" | "light" | "dark";

const KEY = "holdfast.theme";

export function chosenTheme(): Theme {
  const kept = remembered(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function applyTheme(theme: Theme = chosenTheme()): void {
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  remember(KEY, theme);
  applyTheme(theme);
}

/** Storage may be forbidden or full; then nothing is remembered, and nothing breaks. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    return;
  }
}
