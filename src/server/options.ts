import type { Listener } from "../http/listener.ts";
import type { LoadUi } from "../http/page.ts";
import type { ResponseCache } from "../http/response-cache.ts";
import type { SignInOptions } from "../sign-in/options.ts";
import type { Metrics } from "./metrics.ts";

/** What a server is made of. */
export interface ServerOptions extends SignInOptions {
  /** The time that it shows, or the id of an event: nothing can be changed then. */
  at?: string | undefined;
  /** Logs a line for each request. */
  logsAccess?: boolean;
  /** Accepts posts to `/inbox/NAME`, and lists them. */
  inbox?: boolean;
  /** Served at their own path, if given. */
  metrics?: Metrics | undefined;
  /** Loads the page's files; without it, there is only the API. */
  ui?: LoadUi | undefined;
  /** What `/` says without them, as HTML, if it is not what a whole server is for. @param address the server's */
  introduction?: (address: string) => string;
  /** Comes before everything that answers. */
  ahead?: (listener: Listener) => Listener;
  /** Caches responses to reads. */
  cache?: ResponseCache;
}
