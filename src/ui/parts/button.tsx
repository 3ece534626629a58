import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";
import { showError } from "./messages.tsx";

/** Runs on click; the button is busy until it settles, and a failure is shown as a message. */
type Action = () => unknown;

interface ButtonProps {
  onClick: Action;
  icon?: IconName;
  kind?: "main" | "danger" | "plain";
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
  onClick: Action;
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

/** A busy button ignores clicks but keeps the focus, which it would lose if it were disabled. */
function useAction(action: Action): [isBusy: boolean, act: (event: Event) => Promise<void>] {
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

interface SwitchProps {
  isOn: boolean;
  label: string;
  onChange(isOn: boolean): unknown;
  disabled?: boolean;
  title?: string | undefined;
}

/** A toggle whose state shows by position and shape, not by colour alone. */
export function Switch({ isOn, label, onChange, disabled = false, title }: SwitchProps) {
  const [isBusy, act] = useAction(() => onChange(!isOn));
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isOn}
      aria-label={label}
      title={title}
      disabled={disabled}
      aria-disabled={isBusy}
      onClick={act}
    />
  );
}
