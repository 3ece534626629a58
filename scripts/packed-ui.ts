import type { Ui } from "../src/http/page.ts";

/** The page's files in base64, so that they can be embedded in the bundle as JSON. */
export interface Packed extends Omit<Ui, "files"> {
  files: Array<{ name: string; type: string; body: string; br: string; gzip: string }>;
}

export const pack = ({ files, script, styles, icon }: Ui): Packed => ({
  script,
  styles,
  icon,
  files: files.map(({ name, type, body, br, gzip }) => ({
    name,
    type,
    body: body.toString("base64"),
    br: br.toString("base64"),
    gzip: gzip.toString("base64"),
  })),
});
