import { createSend, type Received, type Sending } from "../http/guarded-send.ts";
import { retryAfterMs } from "../http/other-server.ts";
import { TargetError } from "../http/target-guard.ts";

/** A receiver's response, or the reason why there is none. */
export interface PostResult {
  /** The HTTP status, or a system error code such as ECONNREFUSED. */
  status: number | string;
  /** More details, for people. */
  reason?: string;
  isSuccess: boolean;
  /** Whether a retry may succeed. */
  isTransient: boolean;
  requestedMs?: number | undefined;
  /** The beginning of the body, if requested. */
  text: string;
}

type Headers = Readonly<Record<string, string>>;

export type Post = (
  url: string,
  message: {
    headers: Headers;
    body: string | Buffer;
  },
  now: number,
) => Promise<PostResult>;

interface Options extends Sending {
  /** Aborts all requests. */
  signal: AbortSignal;
}

/** Posts over HTTP or HTTPS; doesn't follow redirects. `disconnect` closes idle connections. */
export function createPost({ signal, ...sending }: Options) {
  const { send, abort, disconnect } = createSend(sending);
  signal.addEventListener("abort", () => abort(signal.reason));
  const post: Post = async (url, { headers, body }, now) => {
    try {
      signal.throwIfAborted();
      return toResult(await send(new URL(url), { method: "POST", headers, body }), now);
    } catch (error) {
      return toFailure(error as NodeJS.ErrnoException);
    }
  };
  return { post, disconnect };
}

function toResult({ response, text }: Received, now: number): PostResult {
  const status = response.statusCode!;
  const isTransient = status === 408 || status === 425 || status === 429 || status >= 500;
  const requestedMs = isTransient ? retryAfterMs(response.headers["retry-after"], now) : undefined;
  return { status, isSuccess: status >= 200 && status < 300, isTransient, requestedMs, text };
}

/** Problems with the certificate, the address or a header are permanent. */
const PERMANENT =
  /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_INVALID_|ERR_UNESCAPED|ERR_HTTP_INVALID)/;

function toFailure(error: NodeJS.ErrnoException): PostResult {
  const status = error.code ?? error.name;
  const isTransient = !(error instanceof TargetError) && !PERMANENT.test(status);
  return { status, reason: error.message, isSuccess: false, isTransient, text: "" };
}
