import { useState } from "preact/hooks";
import { Button } from "./button.tsx";

/** Puts a text where it can be pasted. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <Button icon={isCopied ? "check" : "copy"} onClick={copy}>
      {isCopied ? "Copied" : label}
    </Button>
  );
}

/** A text to take along, such as a command. */
export const Snippet = ({ text, label }: { text: string; label: string }) => (
  <div class="snippet">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
    <section tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
    <CopyButton text={text} />
  </div>
);

/** A secret, which is shown this once. */
export const Secret = ({ value, label }: { value: string; label: string }) => (
  <div class="secret">
    <p>
      {label} It is shown <strong>this once</strong>: copy it now.
    </p>
    <Snippet text={value} label="The secret" />
  </div>
);
