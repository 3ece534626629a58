import * as v from "valibot";
import { User } from "../users/schema.ts";

/** Who has signed in; the original does not tell the role here. */
export const SignedIn = v.omit(User, ["rootRole"]);
