import fs from "node:fs";
import type http from "node:http";
import path from "node:path";
import { installed, type UnleashVersion } from "./unleash.ts";

/** The page of the original before a server of ours, in place of our own. */
export const originalPage = (version: UnleashVersion) => {
  const folder = path.join(installed(version), "node_modules/unleash-server/frontend/build");
  const page = fs.readFileSync(path.join(folder, "index.html"), "utf8");
  const shown = page.replace("::uiFlags::", "{}").replaceAll(/::\w+::/g, "");
  return (listener: http.RequestListener): http.RequestListener =>
    (request, response) => {
      const { pathname } = new URL(request.url!, "http://localhost");
      if (/^\/(api|auth|logout)/.test(pathname)) return listener(request, response);
      const file = path.join(folder, pathname);
      const isFile = fs.statSync(file, { throwIfNoEntry: false })?.isFile();
      const type = TYPES[path.extname(pathname)] ?? "text/html";
      response.setHeader("content-type", type).end(isFile ? fs.readFileSync(file) : shown);
    };
};

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
