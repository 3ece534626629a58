// @ts-expect-error esbuild puts the files here
import packed from "#ui-packed";
import type { PageName, Ui } from "../src/http/page.ts";
import type { Packed } from "./packed-ui.ts";

/** Loads the files of a page from the bundle. */
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
