/** How far a request is that takes long. */
export interface Progress {
  /** What is counted, such as "flags". */
  noun: string;
  done: number;
  /** Undefined if nobody knows. */
  total?: number | undefined;
}

/** What a request that takes long reports to, and is stopped by. */
export interface Follow {
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/**
 * For responses in lines, of which all but the last say how far it is. `fetch` doesn't tell how much of a file is sent;
 * unlike it, this always sends the cookie, too.
 * @returns the response with the last line as its body
 */
export function fetchFollowed(
  url: URL,
  init: RequestInit,
  { signal, onProgress }: Follow,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  const lines = () => request.responseText.split("\n");
  request.open(init.method!, url);
  new Headers(init.headers).forEach((value, name) => void request.setRequestHeader(name, value));
  if (init.body instanceof Blob)
    request.upload.onprogress = ({ loaded, total }) =>
      onProgress({ noun: "kB sent", done: toKilobytes(loaded), total: toKilobytes(total) });
  request.onprogress = () => {
    const progress = request.status === 200 && toProgress(lines().at(-2)); // the last one may be incomplete
    if (progress) onProgress(progress);
  };
  request.onload = () => {
    const last = lines().findLast((line) => line !== "");
    resolve(new Response(last, request));
  };
  request.onerror = reject;
  request.onabort = reject;
  signal.addEventListener("abort", () => request.abort());
  request.send(init.body as Blob | string);
  return promise;
}

const toKilobytes = (bytes: number) => Math.ceil(bytes / 1000);

function toProgress(line = "{}"): Progress | undefined {
  const { read, noun = "lines read", done = read, total } = JSON.parse(line);
  return done === undefined ? undefined : { noun, done, total };
}
