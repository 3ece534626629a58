import { asset } from "#assets";
import { type Ui, UiFile } from "../src/http/page.ts";
import type { Packed } from "./ui.ts";

let read: Ui | undefined;

/**
 * Takes the place of src/server/ui-files.ts in a bundle: the files of the page are assets, compressed once, by the build.
 * They are read at the first request.
 */
export async function loadUi(): Promise<Ui> {
  read ??= readUi();
  return read;
}

function readUi(): Ui {
  const { files, ...names }: Packed = JSON.parse(asset("page.json")!.toString());
  return { ...names, files: files.map(({ name, type }) => new UiFile(name, type, asset(name)!)) };
}
