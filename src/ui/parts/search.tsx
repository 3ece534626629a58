import { useEffect, useRef, useState } from "preact/hooks";

/** How long somebody must have stopped typing, lest each letter is asked for. */
const PAUSE_MS = 150;

/** A text to search for, told when somebody has stopped typing it. `/` leads here. */
export function SearchField({
  label,
  value,
  onSearch,
}: {
  label: string;
  value: string;
  onSearch(text: string): void;
}) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    if (value !== told.current) setText(value); // it was changed elsewhere, such as by going back
    told.current = value;
  }, [value]);
  useEffect(() => {
    if (text === told.current) return;
    const timer = setTimeout(() => {
      told.current = text;
      onSearch(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={`${label}  ( / )`}
      value={text}
      spellcheck={false}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}
