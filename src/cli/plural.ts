/** The noun in the right number: `1 line`, `2 lines`. */
export const plural = (count: number, noun: string) => (count === 1 ? noun : `${noun}s`);

/** The same with the count before it. */
export const counted = (count: number, noun: string) => `${count} ${plural(count, noun)}`;
