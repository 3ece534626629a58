/** Who sees a project, and who takes part in it. */
export const MODES = [
  ["open", "open: everybody may look and take part"],
  ["protected", "protected: everybody may look"],
  ["private", "private: only its members see it"],
] as const;
