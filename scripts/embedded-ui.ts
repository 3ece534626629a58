import { asset } from "#assets";
import { type PageName, type Ui, UiFile } from "../src/http/page.ts";
import type { Packed } from "./ui.ts";

const read = new Map<PageName, Ui>();

/**
 * Takes the place of src/server/ui-files.ts in a bundle: the files of a page are assets, compressed once, by the build. They are
 * read at the first request.
 */
export async function loadUi(page: PageName): Promise<Ui> {
  const ui = read.get(page) ?? readUi(page);
  read.set(page, ui);
  return ui;
}

function readUi(page: PageName): Ui {
  const { files, ...names }: Packed = JSON.parse(asset(`${page}.json`)!.toString());
  return { ...names, files: files.map(({ name, type }) => new UiFile(name, type, asset(name)!)) };
}
