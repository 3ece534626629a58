import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isFiltered, useFilter, useFilters } from "../address.ts";
import { Button } from "./controls.tsx";
import { type Choice, Select } from "./fields.tsx";

interface FiltersProps {
  /** Those that can be cleared at once, and what they are then. */
  of?: Readonly<Record<string, string>>;
  children: ComponentChildren;
}

/** The filters of a list; the address has their values. */
export function Filters({ of = {}, children }: FiltersProps) {
  const [filters, setFilters] = useFilters(of);
  return (
    <search class="filters">
      {children}
      {isFiltered(filters, of) && <Button onClick={() => setFilters(of)}>Clear filters</Button>}
    </search>
  );
}

/** How long typing must pause before a search, so that not every letter is a request. */
const PAUSE_MS = 150;

/** A search for a text, which the address has once typing pauses. `/` focuses it. */
export function Search({ label }: { label: string }) {
  const [value, onChange] = useFilter("query");
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
      onChange(text);
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

interface FilterProps {
  label: string;
  /** Its parameter of the address. */
  name: string;
}

/** One of several choices, or any. */
export function Filter({ label, name, choices }: FilterProps & { choices: readonly Choice[] }) {
  const [value, onChange] = useFilter(name);
  return (
    <Select label={label} value={value} choices={[["", `${label}: any`], ...choices]} onChange={onChange} />
  );
}

/** An exact name, applied once it has been typed. */
export function NameFilter({ label, name }: FilterProps) {
  const [value, onChange] = useFilter(name);
  return (
    <input
      aria-label={label}
      placeholder={`${label}: any`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
    />
  );
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Shown empty if the address holds no valid day. */
export function DayFilter({ label, name }: FilterProps) {
  const [value, onChange] = useFilter(name);
  return (
    <label>
      {label}{" "}
      <input
        type="date"
        value={DAY.test(value) ? value : ""}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
