import { useState } from "preact/hooks";
import type { Input, Output } from "../api.ts";
import { inDays } from "../format.ts";
import { change, useRead } from "../reads.ts";
import { snippetsFor } from "../snippets.ts";
import { Button } from "./controls.tsx";
import { RemoveButton } from "./dialog.tsx";
import { type Bound, type Control, checks, choicesOf, named, Select, text } from "./fields.tsx";
import { Form, useForm } from "./form.tsx";
import { type Column, Table } from "./table.tsx";
import { Time } from "./words.tsx";

/** Copies a text to the clipboard. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await copyToClipboard(text);
    setCopied(true);
  };
  return (
    <Button icon={isCopied ? "check" : "copy"} onClick={copy}>
      {isCopied ? "Copied" : label}
    </Button>
  );
}

/** The clipboard API needs TLS or localhost; other pages select the text and run the copy command. */
async function copyToClipboard(text: string) {
  const isWritten = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (isWritten) return;
  const field = document.createElement("textarea");
  field.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (!isCopied) throw new Error("The browser doesn't allow copying: select the text instead");
}

/** A text to copy, such as a command. */
export const Snippet = ({ text, label }: { text: string; label: string }) => (
  <div class="snippet">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
    <section tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
    <CopyButton text={text} />
  </div>
);

/** A secret that is shown only once. */
export const Secret = ({ value, label }: { value: string; label: string }) => (
  <div class="secret">
    <p>
      {label} Copy it now: it is shown <strong>only once</strong>.
    </p>
    <Snippet text={value} label="The secret" />
  </div>
);

/** The server's address, without a trailing slash. */
const url = () => document.baseURI.replace(/\/$/, "");

/** Sample code for an application, in the language of choice. */
export function Snippets(props: { token: string; feature: string; isFrontend: boolean }) {
  const snippets = snippetsFor({ ...props, url: url() });
  const [language, setLanguage] = useState(snippets[0]!.language);
  const selected = snippets.find((snippet) => snippet.language === language) ?? snippets[0]!;
  const languages = choicesOf(snippets.map(({ language }) => language));
  return (
    <div>
      <p>
        Language{" "}
        <Select label="Language" value={selected.language} choices={languages} onChange={setLanguage} />
      </p>
      <Snippet text={selected.text} label={`For ${selected.language}`} />
    </div>
  );
}

/** The projects something is limited to, from those the user can see. */
export const projects: Control<readonly string[]> = (bound) => <Projects {...bound} />;

function Projects(bound: Bound<readonly string[]>) {
  const choices = named(useRead("GET /api/admin/projects").data?.projects);
  return checks("Projects", choices, { hint: "All projects if none is selected." })(bound);
}

interface Dated {
  seenAt?: string | null | undefined;
  expiresAt?: string | null | undefined;
  createdAt: string;
}

/** When a token was used last, and how long it lasts. */
export const TOKEN_TIMES: ReadonlyArray<Column<Dated>> = [
  ["Last seen", ({ seenAt }) => <Time at={seenAt} />],
  ["Expires", ({ expiresAt }) => <Time at={expiresAt} />],
  ["Created", ({ createdAt }) => <Time at={createdAt} />],
];

type Token = Output<"GET /api/admin/user/tokens">["pats"][number];
type NewToken = Input<"POST /api/admin/user/tokens">["body"];

interface PersonalTokensProps {
  tokens: readonly Token[];
  create(body: NewToken): Promise<{ secret?: string | undefined }>;
  revoke(id: number): Promise<unknown>;
}

/** The tokens of a user or a service account, for scripts that act on its behalf. */
export function PersonalTokens({ tokens, create, revoke }: PersonalTokensProps) {
  const [secret, setSecret] = useState("");
  const [isNew, setNew] = useState(false);
  const tools = ({ id, description }: Token) => (
    <RemoveButton
      label={`Revoke ${description}`}
      parameter="revoke"
      of={String(id)}
      title={`Revoke ${description}?`}
      action="Revoke the token"
      onConfirm={() => revoke(id)}
    >
      Scripts that use it will be refused at once.
    </RemoveButton>
  );
  return (
    <>
      {secret !== "" && <Secret value={secret} label="Your new token." />}
      <Table
        caption="Tokens"
        rows={tokens}
        keyOf={({ id }) => id}
        empty="No tokens yet."
        columns={[
          ["Description", ({ description }) => <bdi>{description}</bdi>, "main"],
          ...TOKEN_TIMES,
          ["Actions", tools, "tools"],
        ]}
      />
      {isNew ? (
        <NewPersonalToken
          create={async (body) => setSecret((await create(body)).secret ?? "")}
          onClose={() => setNew(false)}
        />
      ) : (
        <Button icon="add" onClick={() => setNew(true)}>
          New token
        </Button>
      )}
    </>
  );
}

type NewPersonalTokenProps = { create(body: NewToken): Promise<unknown>; onClose(): void };

function NewPersonalToken({ create, onClose }: NewPersonalTokenProps) {
  const initial = { description: "", expiresAt: inDays(90) };
  const form = useForm(initial, async ({ description, expiresAt }) => {
    await create({ description, expiresAt: new Date(expiresAt).toISOString() });
    onClose();
  });
  const fields = {
    description: text("Token description", { required: true }),
    expiresAt: text("Expires", { type: "datetime-local", required: true }),
  };
  return <Form form={form} fields={fields} submit="Create the token" onCancel={onClose} />;
}

/** Creates a link with which a user sets a password. @returns its path */
export async function createPasswordLink({ id, username, email }: SignInNames): Promise<string> {
  const body = { id: email ?? username ?? String(id) };
  const { resetPasswordUrl } = await change("POST /api/admin/user-admin/reset-password", { body });
  return resetPasswordUrl;
}

/** The API finds the user by what they type to sign in. */
interface SignInNames {
  id: number;
  username: string | null;
  email?: string | undefined;
}
