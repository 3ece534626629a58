import { COST } from "../../src/access/password-hash.ts";

/** The cost of hashing a password in production. Tests in this process pay next to nothing. */
export const REAL_COST = { ...COST };

COST.N = 2 ** 4;
COST.p = 1;
