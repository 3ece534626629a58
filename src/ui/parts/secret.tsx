import { useState } from "preact/hooks";
import { Button } from "./button.tsx";

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
