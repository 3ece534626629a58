/** The noun in singular or plural: `line`, `lines`. */
export const plural = (count: number, noun: string) => (count === 1 ? noun : `${noun}s`);

/** The count with its noun: `1 line`, `2 lines`. */
export const counted = (count: number, noun: string) => `${count} ${plural(count, noun)}`;
