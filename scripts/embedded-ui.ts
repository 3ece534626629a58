import { asset } from "#assets";
import { type PageName, type Ui, UiFile } from "../src/http/page.ts";
import type { Packed } from "./ui.ts";

/** Takes the place of src/ui-files.ts in a bundle: the files of a page are assets, compressed once, by the build. */
export async function loadUi(page: PageName): Promise<Ui> {
  const { files, ...names }: Packed = JSON.parse(asset(`${page}.json`)!.toString());
  return { ...names, files: files.map(({ name, type }) => new UiFile(name, type, asset(name)!)) };
}
