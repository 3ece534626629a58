import { useState } from "preact/hooks";
import { request } from "../api.ts";
import { tell } from "../messages.ts";
import { text } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { type AppKey, CODE, CodesForRecovery, KeyForApp } from "../parts/second-factor.tsx";
import { Answer, Time } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { ownUser } from "../session.ts";

const FACTOR = "/api/admin/user/second-factor";

/** Whether a password alone is enough to sign in as the user, and the way to change that. */
export function SecondFactor() {
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <section>
      <h2>Second factor</h2>
      <Answer read={useRead(`GET ${FACTOR}`)}>
        {({ enabledAt, isRequired, recoveryCodes }) =>
          enabledAt === null ? (
            <Adding onAdded={setCodes} />
          ) : (
            <>
              <p>
                A sign-in with your password also asks for the code of an app, since <Time at={enabledAt} />.
                You have {recoveryCodes} recovery codes left.{" "}
                {isRequired &&
                  "Your role requires a second factor: without it, the next sign-in sets one up."}
              </p>
              {codes && <CodesForRecovery codes={codes} />}
              <Removing />
            </>
          )
        }
      </Answer>
    </section>
  );
}

const WITH_PASSWORD = {
  password: text("Your password", { type: "password", autocomplete: "current-password", required: true }),
};

/** First the password, for a key; then the app's code, to show that it has the key. */
function Adding({ onAdded }: { onAdded(codes: readonly string[]): void }) {
  const user = ownUser();
  const [key, setKey] = useState<AppKey>();
  const beginning = useForm({ password: "" }, async ({ password }) => {
    const username = user?.username ?? user?.email ?? "";
    setKey(await request("POST /auth/simple/second-factor", { body: { username, password } }));
  });
  const adding = useForm({ code: "" }, async (body) => {
    const { recoveryCodes } = await change(`POST ${FACTOR}`, { body });
    onAdded(recoveryCodes);
  });
  return key ? (
    <>
      <KeyForApp {...key} />
      <Form form={adding} fields={{ code: CODE }} submit="Add the second factor" />
    </>
  ) : (
    <>
      <p class="muted">With an authenticator app, your password alone is not enough to sign in.</p>
      <Form form={beginning} fields={WITH_PASSWORD} submit="Set up an app" />
    </>
  );
}

function Removing() {
  const form = useForm({ code: "" }, async (body) => {
    await change(`POST ${FACTOR}/remove`, { body });
    tell("Your password alone is enough again.");
  });
  return <Form form={form} fields={{ code: CODE }} submit="Remove the second factor" />;
}
