import { effect, signal } from "@preact/signals";

/** Light, dark, or as the system is set; kept in this browser. */
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "flagstone-theme";

const kept = localStorage.getItem(KEY);

export const theme = signal<Theme>(THEMES.find((name) => name === kept) ?? "system");

export const setTheme = (chosen: Theme) => {
  theme.value = chosen;
  localStorage.setItem(KEY, chosen);
};

effect(() => {
  document.documentElement.style.colorScheme = theme.value === "system" ? "" : theme.value;
});
