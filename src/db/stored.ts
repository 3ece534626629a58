/** A `T` as columns store it: true and false as 1 and 0, lists and objects as JSON. */
export type Stored<T> = {
  [Key in keyof T]: T[Key] extends boolean ? 0 | 1 : T[Key] extends string | number | null ? T[Key] : string;
};
