/** Who can see a project, and who can contribute to it. */
export const MODES = [
  ["open", "open: everyone can view and contribute"],
  ["protected", "protected: everyone can view, only members can contribute"],
  ["private", "private: only members can see it"],
] as const;
