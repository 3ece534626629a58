import type { Output } from "../api.ts";
import { text } from "./fields.tsx";

/** What an authenticator app needs. */
export type AppKey = Output<"POST /auth/simple/second-factor">;

/** How to give an authenticator app its key. */
export const KeyForApp = ({ secret, uri }: AppKey) => (
  <>
    <p>
      Add this key to an authenticator app, or <a href={uri}>open it in an app on this device</a>. Then enter
      the code that the app shows.
    </p>
    <div class="secret">
      <pre>{secret.replace(/.{4}(?!$)/g, "$& ")}</pre>
    </div>
  </>
);

/** The field for the code of an authenticator app. */
export const CODE = text("Code of your authenticator app", {
  hint: "Or a recovery code.",
  autocomplete: "one-time-code",
  required: true,
});

export const CodesForRecovery = ({ codes }: { codes: readonly string[] }) => (
  <div class="secret">
    <p>
      If you lose the app, each of these codes replaces it once. Keep them: they are shown{" "}
      <strong>only once</strong>.
    </p>
    <pre>{codes.join("\n")}</pre>
  </div>
);
