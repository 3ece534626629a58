import { licenses as textOfLicenses } from "#licenses";
import type { Command } from "./command.ts";

export const licenses: Command = {
  name: "licenses",
  summary: "Print the licences of all included software",
  example: "licenses",
  settings: [],
  run: async ({ print }) => print(await textOfLicenses()),
};
