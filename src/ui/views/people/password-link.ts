import { change } from "../../reads.ts";

/** The API finds the user by what they type to sign in. */
interface SignInNames {
  id: number;
  username: string | null;
  email?: string | undefined;
}

/** Creates a link with which a user sets a password. @returns its path */
export async function createPasswordLink({ id, username, email }: SignInNames): Promise<string> {
  const body = { id: email ?? username ?? String(id) };
  const { resetPasswordUrl } = await change("POST /api/admin/user-admin/reset-password", { body });
  return resetPasswordUrl;
}
