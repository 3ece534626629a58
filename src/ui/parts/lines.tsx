interface LinesFieldProps {
  values: readonly string[];
  onChange(values: readonly string[]): void;
  rows: number;
  /** Of the text area, such as its label. */
  attributes: { id?: string; "aria-label"?: string };
}

/**
 * A list, one value a line. A comma that is typed or pasted starts a new line, unless a value that is there already has
 * a comma in it. Empty lines are kept, for a value that is about to be typed.
 */
export function LinesField({ values, onChange, rows, attributes }: LinesFieldProps) {
  const hasCommas = values.some((value) => value.includes(","));
  const toLines = (text: string) => (hasCommas ? text : text.replaceAll(/[,\n][ \t]*/g, "\n"));
  return (
    <textarea
      {...attributes}
      rows={rows}
      placeholder="one per line, or separated by commas"
      value={values.join("\n")}
      onInput={({ currentTarget: area }) => {
        const { value, selectionEnd } = area;
        const text = toLines(value);
        if (text !== value) {
          area.value = text;
          const caret = toLines(value.slice(0, selectionEnd)).length;
          area.setSelectionRange(caret, caret);
        }
        onChange(text === "" ? [] : text.split("\n"));
      }}
    />
  );
}
