import zlib from "node:zlib";
import { asset } from "#assets";
import type { Command } from "./command.ts";

const OF_CHECKOUT =
  "Flagstone is licensed under the Apache License 2.0, see LICENSE.\n" +
  "This is a checkout: the licences of the packages it uses are in node_modules.\n" +
  "An executable, or a bundle made with `npm run build`, prints them here.";

export const licenses: Command = {
  name: "licenses",
  summary: "Print the licences of all included software",
  example: "licenses",
  settings: [],
  run({ print }) {
    const compressed = asset("licenses.txt.br");
    print(compressed ? zlib.brotliDecompressSync(compressed).toString() : OF_CHECKOUT);
  },
};
