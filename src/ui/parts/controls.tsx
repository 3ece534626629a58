import { effect, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Dropped, isLost, RequestError } from "../api.ts";
import { Icon, type IconName, Summary } from "./words.tsx";

interface ButtonProps {
  /** The button is busy until it settles; a failure is shown as a message. */
  onClick(): unknown;
  icon?: IconName;
  kind?: "main" | "danger";
  disabled?: boolean;
  /** Why it is disabled, or more than its label says. */
  title?: string | undefined;
  children: ComponentChildren;
}

export function Button({ onClick, icon, kind, disabled = false, title, children }: ButtonProps) {
  const [isBusy, act] = useAction(onClick);
  return (
    <button type="button" class={kind} onClick={act} disabled={disabled} aria-disabled={isBusy} title={title}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps {
  onClick(): unknown;
  icon: IconName;
  /** Its accessible name and tooltip. */
  label: string;
  disabled?: boolean;
  /** Set for a toggle button. */
  isPressed?: boolean;
}

export function IconButton({ onClick, icon, label, disabled = false, isPressed }: IconButtonProps) {
  const [isBusy, act] = useAction(onClick);
  return (
    <button
      type="button"
      class="bare"
      onClick={act}
      disabled={disabled}
      aria-disabled={isBusy}
      aria-label={label}
      aria-pressed={isPressed}
    >
      <Icon name={icon} title={label} />
    </button>
  );
}

interface SwitchProps {
  isOn: boolean;
  label: string;
  onChange(isOn: boolean): unknown;
  disabled?: boolean;
}

/** A toggle whose state shows by position and shape, not by colour alone. */
export function Switch({ isOn, label, onChange, disabled = false }: SwitchProps) {
  const [isBusy, act] = useAction(() => onChange(!isOn));
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isOn}
      aria-label={label}
      disabled={disabled}
      aria-disabled={isBusy}
      onClick={act}
    />
  );
}

/** A busy button ignores clicks but keeps the focus, which it would lose if it were disabled. */
function useAction(action: () => unknown): [isBusy: boolean, act: (event: Event) => Promise<void>] {
  const [isBusy, setBusy] = useState(false);
  const act = async (event: Event) => {
    event.stopPropagation();
    if (isBusy) return;
    setBusy(true);
    try {
      await action();
    } catch (error) {
      showError(error);
    }
    setBusy(false);
  };
  return [isBusy, act];
}

interface Message {
  id: number;
  /** With an offer, the summary of an event. */
  text: string;
  kind: "done" | "failed" | "lost";
  offer?: Offer | undefined;
  /** Where to read more. */
  link?: string | undefined;
}

/** What the user may do about a message; it is closed then. */
interface Offer {
  label: string;
  act(): Promise<unknown>;
}

const messages = signal<readonly Message[]>([]);

/** How long messages of success stay, without and with an offer; an error stays until it is dismissed. */
const STAYS_MS = 4000;
const OFFERED_MS = 10_000;

/** Those that are read or reached at the moment stay longer. */
const HELD = ".messages:is(:hover, :has(:focus-visible))";

/** More would cover the view: the oldest gives way. */
const MOST = 3;

let newest = 0;

/** Shows for a moment what was done; a message without an offer gives way to the next one. */
export function tell(text: string, offer?: Offer) {
  const id = add({ text, kind: "done", offer });
  closeAfter(offer ? OFFERED_MS : STAYS_MS, id);
}

function closeAfter(ms: number, id: number) {
  setTimeout(() => (document.querySelector(HELD) ? closeAfter(1000, id) : close(id)), ms);
}

/**
 * Shows what went wrong, in the API's own words; not to a different user than the one who asked for it.
 * @param link where to read more
 */
export function showError(error: unknown, link?: string) {
  if (error instanceof Dropped) return;
  const isConnectionError = error instanceof RequestError && error.status === 0;
  const text = error instanceof Error ? error.message : String(error);
  add({ text, kind: isConnectionError ? "lost" : "failed", link });
}

export const clearMessages = () => {
  messages.value = [];
};

/** Drops connection errors when the server is back. */
effect(() => {
  if (!isLost.value) messages.value = messages.peek().filter(({ kind }) => kind !== "lost");
});

function add(message: Omit<Message, "id">) {
  const id = ++newest;
  const others = messages.value.filter(({ text, kind, offer }) =>
    kind === "done" ? offer && text !== message.text : text !== message.text,
  );
  messages.value = [...others, { id, ...message }].slice(-MOST);
  return id;
}

const close = (id: number) => {
  messages.value = messages.value.filter((message) => message.id !== id);
};

/**
 * The live region where messages are shown and read out: each dialog has its own, since nothing outside is read, but no
 * offers, which would cover its buttons.
 */
export const Messages = ({ isInDialog = false }) => (
  <div class="messages" role="status" aria-live="polite">
    {messages.value
      .filter(({ offer }) => !offer || !isInDialog)
      .map(({ id, text, kind, offer, link }) => (
        <p key={id} class={kind === "done" ? "message" : "message failure"}>
          <span>
            {offer ? <Summary text={text} /> : text} {link && <Link href={link}>Show it in the log</Link>}
          </span>
          {offer && <Button onClick={() => offer.act().then(() => close(id))}>{offer.label}</Button>}
          <IconButton icon="close" label="Dismiss" onClick={() => close(id)} />
        </p>
      ))}
  </div>
);
