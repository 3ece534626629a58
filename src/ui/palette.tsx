import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { type Group, type Item, useFound } from "./find.ts";
import { counted } from "./format.ts";
import { isFinding } from "./menu.tsx";
import { showError } from "./messages.ts";
import { Dialog } from "./parts/dialog.tsx";
import { Icon, Nothing } from "./parts/words.tsx";
import { useLast } from "./reads.ts";

/** Finds anything by a few words, and opens or does it: a combobox with a list, whose keys its field handles. */
export function Palette() {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const [, navigate] = useLocation();
  const id = useId();
  const found = useLast(useFound(text));
  const items = (found ?? []).flatMap(([, own]) => own);
  const chosen = Math.max(0, Math.min(active, items.length - 1));
  const choose = async ({ go }: Item) => {
    close();
    if (typeof go === "string") return navigate(go);
    try {
      await go();
    } catch (error) {
      showError(error);
    }
  };
  const press = (event: KeyboardEvent) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (steps !== undefined) setActive((chosen + steps + items.length) % items.length);
    else if (event.key === "Enter" && items[chosen]) void choose(items[chosen]);
    else return;
    event.preventDefault();
  };
  const input = (event: Event & { currentTarget: HTMLInputElement }) => {
    setText(event.currentTarget.value);
    setActive(0);
  };
  return (
    <Dialog title="Find anything" onClose={close}>
      <div class="palette">
        <input
          autofocus
          role="combobox"
          aria-label="Find flags, projects, views and actions"
          aria-autocomplete="list"
          aria-expanded={items.length > 0}
          aria-controls={id}
          aria-activedescendant={items.length > 0 ? `${id}-${chosen}` : undefined}
          placeholder="A flag, a project, a view, or: payment off production"
          spellcheck={false}
          value={text}
          onInput={input}
          onKeyDown={press}
        />
        <p class="unseen" role="status">
          {found && counted(items.length, "result")}
        </p>
        {found && items.length === 0 && <Nothing>Nothing that you may see is called that.</Nothing>}
        <div role="listbox" id={id} aria-label="Results">
          {found?.map(([title, own]: Group) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset may not be in a listbox
            <div key={title} role="group" aria-label={title}>
              <small aria-hidden="true">{title}</small>
              {own.map((item) => (
                <Option
                  key={item.title + item.hint}
                  id={`${id}-${items.indexOf(item)}`}
                  item={item}
                  isActive={item === items[chosen]}
                  onChoose={() => void choose(item)}
                />
              ))}
            </div>
          ))}
        </div>
      </div>
    </Dialog>
  );
}

const close = () => {
  isFinding.value = false;
};

interface OptionProps {
  id: string;
  item: Item;
  isActive: boolean;
  onChoose(): void;
}

function Option({ id, item: { icon, title, hint }, isActive, onChoose }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus, and handles the keys
    <div ref={element} id={id} role="option" tabIndex={-1} aria-selected={isActive} onClick={onChoose}>
      <Icon name={icon} /> <bdi>{title}</bdi> {hint !== undefined && <small>{hint}</small>}
    </div>
  );
}
