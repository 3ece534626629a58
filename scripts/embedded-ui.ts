// @ts-expect-error esbuild puts the files here
import packed from "#ui-packed";
import type { PageName, Ui } from "../src/http/page.ts";

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

export async function loadUi(page: PageName): Promise<Ui> {
  const { files, ...rest } = (packed as Record<PageName, Packed>)[page];
  const bytes = (text: string) => Buffer.from(text, "base64");
  const unpack = ({ body, br, gzip, ...file }: Packed["files"][number]) => ({
    ...file,
    body: bytes(body),
    br: bytes(br),
    gzip: bytes(gzip),
  });
  return { ...rest, files: files.map(unpack) };
}
