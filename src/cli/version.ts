import { VERSION } from "../version.ts";
import { type Command, JSON_OPTION } from "./command.ts";

export const version: Command = {
  name: "version",
  summary: "Print the version",
  example: "version",
  settings: [],
  options: JSON_OPTION,
  run: ({ options, print }) => print(options.json ? JSON.stringify({ version: VERSION }) : VERSION),
};
