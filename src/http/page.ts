import zlib from "node:zlib";
import { type EventHandler, type H3, type H3Event, HTTPResponse } from "h3";
import { ApiError } from "../lib/api-error.ts";
import { encodingFor } from "./encoding.ts";
import { route } from "./mount.ts";
import { isRead, toResponse, wholeParts } from "./response.ts";

/** A file of the page, compressed by the build; in other forms once requested. Its name changes with its content. */
export class UiFile {
  readonly name: string;
  readonly type: string;
  readonly br: Buffer;
  #body: Buffer | undefined;
  #gzip: Buffer | undefined;

  constructor(name: string, type: string, br: Buffer) {
    this.name = name;
    this.type = type;
    this.br = br;
  }

  get body(): Buffer {
    this.#body ??= zlib.brotliDecompressSync(this.br);
    return this.#body;
  }

  get gzip(): Buffer {
    this.#gzip ??= zlib.gzipSync(this.body);
    return this.#gzip;
  }
}

/** The code that runs in the browser, and its entry files. */
export interface Ui {
  files: UiFile[];
  script: string;
  /** What the script imports at once: browsers fetch it beside the script rather than after it. */
  imports: string[];
  styles: string;
  icon: string;
}

/** Builds the files of the page, or returns prebuilt ones. */
export type LoadUi = () => Promise<Ui>;

/** Nothing loads from elsewhere, nothing is inline, and no other page may frame it. */
const POLICY =
  "default-src 'self'; base-uri 'self'; form-action 'self'; object-src 'none'; frame-ancestors 'none'";

const SAFE = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
};

/**
 * Routes the page's files.
 * @param base the path prefix of everything, as browsers see it
 * @returns the handler for every URL that shows the page, which picks its view from the URL
 */
export function mountPage(app: H3, load: LoadUi, base: string): EventHandler {
  route(app, "/assets/:file", { GET: async (event) => answerFile(await load(), event) });
  route(app, "/favicon.ico", { GET: async () => redirectTo(`${base}/assets/${(await load()).icon}`) });
  return async ({ req }) => toResponse(wholeParts(pageFor(await load(), base), { headers: HEADERS }), req);
}

/** Browsers request `/favicon.ico` for pages that declare no icon. */
const redirectTo = (location: string) =>
  new HTTPResponse(null, { status: 302, headers: { location, "cache-control": "no-cache" } });

const HEADERS = { ...SAFE, "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" };

/** Whether the request is a browser opening an address, rather than a program. */
export const isPageRequest = ({ req }: H3Event) =>
  isRead(req) && (req.headers.get("accept") ?? "").includes("text/html");

function answerFile({ files }: Ui, { url, req, context }: H3Event) {
  const file = files.find(({ name }) => name === context.params?.file);
  if (file === undefined) throw new ApiError("NotFoundError", `There is nothing at ${url.pathname}`);
  const encoding = encodingFor(req.headers.get("accept-encoding"));
  const body = encoding === undefined ? file.body : file[encoding];
  return new HTTPResponse(req.method === "HEAD" ? null : new Uint8Array(body), {
    headers: {
      ...SAFE,
      "content-type": file.type,
      "content-length": String(body.length),
      ...(encoding && { "content-encoding": encoding }),
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    },
  });
}

/** All its links are relative to the base, so they work at any depth. */
const pageFor = ({ script, imports, styles, icon }: Ui, base: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Flagstone</title>
<base href="${base}/">
<link rel="icon" href="assets/${icon}">
<link rel="stylesheet" href="assets/${styles}">
<script type="module" src="assets/${script}"></script>
${imports.map((name) => `<link rel="modulepreload" href="assets/${name}">`).join("\n")}
<link rel="preload" as="fetch" crossorigin href="api/admin/user">
<body>
<noscript>This page needs JavaScript. The API behind it does not: see docs/openapi.json.</noscript>
<div id="app"></div>
</html>
`;
