import { useEffect, useRef, useState } from "preact/hooks";

/** How long typing must pause before a search, so that not every letter is a request. */
const PAUSE_MS = 150;

/** A search field that reports its text once typing pauses. `/` focuses it. */
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
  const reported = useRef(value);
  useEffect(() => {
    if (value !== reported.current) setText(value); // changed elsewhere, such as by the back button
    reported.current = value;
  }, [value]);
  useEffect(() => {
    if (text === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = text;
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
