import type { Output } from "../api.ts";
import type { Column } from "./table.tsx";
import { Badge, Time } from "./words.tsx";

export type SignIn = Output<"GET /api/admin/logins">["events"][number];

const WAYS = { simple: "password", link: "link", oidc: "single sign-on", proxy: "proxy" };

/** How an attempt to sign in ended, in words. */
export const resultOf = ({ successful }: SignIn) => (successful ? "signed in" : "refused");

/** What a list of attempts to sign in says of each. */
export const SIGN_IN_COLUMNS: ReadonlyArray<Column<SignIn>> = [
  [
    "Result",
    (attempt) => (
      <>
        <Badge tone={attempt.successful ? "good" : "bad"}>{resultOf(attempt)}</Badge>{" "}
        <small>{attempt.failure_reason}</small>
      </>
    ),
  ],
  ["By", ({ auth_type }) => WAYS[auth_type]],
  ["Address", ({ ip }) => <bdi>{ip}</bdi>],
  ["When", ({ created_at }) => <Time at={created_at} />],
];
