import { signal } from "@preact/signals";
import { Dropped, request } from "./api.ts";
import { approvedIn } from "./proposals.ts";

/** A change of flags that waits for the user's consent. */
interface Question {
  environment: string;
  /** What happens. */
  sentence: string;
  answer(isAgreed: boolean): void;
}

/** The question that is open. */
export const asked = signal<Question | undefined>(undefined);

/** A change that the user has not agreed to. */
class NotAgreed extends Dropped {
  override message = "Nothing was changed.";
}

/**
 * Waits until the user has agreed to a change of flags in an environment, if that asks before changes, and nobody else
 * has to approve it. For whatever has not asked yet: a dialog that says what will be lost is a question, too.
 * @param describe what happens, such as "a will be on for everyone in production"
 * @throws Dropped if the user doesn't agree, which no message needs to say
 */
export async function confirmed(
  { project, environment }: Record<"project" | "environment", string>,
  describe: () => string | Promise<string>,
) {
  const params = { name: environment };
  const { askBeforeChange } = await request("GET /api/admin/environments/:name", { params });
  if (!askBeforeChange || (await approvedIn({ project, environment }))) return;
  const sentence = await describe();
  const isAgreed = await new Promise<boolean>((answer) => {
    asked.value = { environment, sentence, answer };
  });
  asked.value = undefined;
  if (!isAgreed) throw new NotAgreed();
}
