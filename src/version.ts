/** The version of this program, as package.json has it (a test compares). */
export const VERSION = "0.1.0";
