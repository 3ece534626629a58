import type { Ui } from "../src/http/page.ts";

/** The page's files as text, since that is what a bundle holds: bytes in base64. */
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
