import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { closeMessage, messages, showError } from "../messages.ts";
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
          {offer && <Button onClick={() => offer.act().then(() => closeMessage(id))}>{offer.label}</Button>}
          <IconButton icon="close" label="Dismiss" onClick={() => closeMessage(id)} />
        </p>
      ))}
  </div>
);
