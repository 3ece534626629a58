/** Who sees a project, and who takes part in it. */
export const MODES = [
  ["open", "open: everyone can view and contribute"],
  ["protected", "protected: everyone can view, only members can contribute"],
  ["private", "private: only members can see it"],
] as const;
