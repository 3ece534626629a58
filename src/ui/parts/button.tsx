import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";
import { tellFailure } from "./messages.tsx";

/** What a click does; while it takes its time the button says so, and what fails is told. */
type Action = () => unknown;

interface ButtonProps {
  onClick: Action;
  icon?: IconName;
  kind?: "main" | "danger" | "plain";
  disabled?: boolean;
  /** Why it can't be used, or what it does beyond its words. */
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
  /** Said instead of shown. */
  label: string;
  disabled?: boolean;
  /** Of what is on or off. */
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
      title={label}
    >
      <Icon name={icon} />
    </button>
  );
}

/** A button that is busy can't be used, but keeps the focus, which one that is disabled would lose. */
function useAction(action: Action): [isBusy: boolean, act: (event: Event) => Promise<void>] {
  const [isBusy, setBusy] = useState(false);
  const act = async (event: Event) => {
    event.stopPropagation();
    if (isBusy) return;
    setBusy(true);
    try {
      await action();
    } catch (error) {
      tellFailure(error);
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

/** On or off, told by its place and its shape and not by colour alone. */
export function Switch({ isOn, label, onChange, disabled = false, title }: SwitchProps) {
  const [isBusy, act] = useAction(() => onChange(!isOn));
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isOn}
      aria-label={label}
      title={title ?? label}
      disabled={disabled}
      aria-disabled={isBusy}
      onClick={act}
    />
  );
}
