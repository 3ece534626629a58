import { computed, effect, signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** A form with input that isn't saved. */
interface Unsaved {
  element: HTMLFormElement;
  /** Where the page was when it was typed. */
  href: string;
  isSending: boolean;
}

const unsaved = signal<readonly Unsaved[]>([]);

/** Whether any form on screen has input that isn't saved. */
export const isAnythingTyped = computed(() => unsaved.value.length > 0);

interface Typed {
  isTyped: boolean;
  /** It is being saved. */
  isBusy: boolean;
}

/** Says whether a form has input that isn't saved. Forms outside the frame sign somebody in, and leave by themselves. */
export function useUnsaved(form: RefObject<HTMLFormElement>, { isTyped, isBusy }: Typed) {
  useLayoutEffect(() => {
    const element = form.current;
    if (!isTyped || !element?.closest(".frame")) return;
    const typed = { element, href: location.href, isSending: isBusy };
    unsaved.value = [...unsaved.peek(), typed];
    return () => forget([typed]);
  }, [isTyped, isBusy]);
}

function forget(forms: readonly Unsaved[]) {
  unsaved.value = unsaved.peek().filter((form) => !forms.includes(form));
}

/** The forms with input that isn't saved, in an element. */
export const unsavedIn = (container: Element | null) =>
  unsaved.peek().filter(({ element }) => container?.contains(element));

/** The forms with input that isn't saved which an address doesn't show: it is another view, or their dialog isn't open. */
export const unsavedOutside = (address: URL) =>
  unsaved.peek().filter(({ element, href }) => {
    const { pathname, searchParams } = new URL(href);
    if (pathname !== address.pathname) return true;
    const isShown = [...searchParams].every(([name, value]) => address.searchParams.get(name) === value);
    return element.closest("dialog") !== null && !isShown;
  });

/** Whether to discard what is typed, and what happens then. */
interface Question {
  forms: readonly Unsaved[];
  go(): void;
}

const asked = signal<Question | undefined>();

/** The question that is open; it closes once what it is about is saved. */
export const question = computed(() =>
  asked.value?.forms.some((form) => unsaved.value.includes(form)) ? asked.value : undefined,
);

/** Does what loses the input of forms, if there are any only once the user has agreed. */
export function leave(forms: readonly Unsaved[], go: () => void) {
  if (forms.length === 0) go();
  else asked.value = { forms, go };
}

export function keepEditing() {
  asked.value = undefined;
}

export function discard({ forms, go }: Question) {
  forget(forms);
  keepEditing();
  go();
}

/** Browsers ask in their own words before they reload or close the page. */
const hold = (event: Event) => event.preventDefault();

effect(() => {
  if (!isAnythingTyped.value) return;
  addEventListener("beforeunload", hold);
  return () => removeEventListener("beforeunload", hold);
});
