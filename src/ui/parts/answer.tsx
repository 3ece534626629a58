import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Read } from "../reads.ts";

interface AnswerProps<T> {
  read: Read<T>;
  children(data: T): ComponentChildren;
}

/** What the server answered, or why it did not; what takes longer shows that it works. */
export function Answer<T>({ read: { data, error }, children }: AnswerProps<T>) {
  if (data !== undefined) return <>{children(data)}</>;
  if (error) return <Failure error={error} />;
  return <Working />;
}

export const Failure = ({ error }: { error: Error }) => (
  <p class="failure" role="alert">
    {error.message}
  </p>
);

/** Until then nothing is shown, for most answers are there before. */
const PATIENCE_MS = 200;

export function Working() {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isSlow ? (
    <p class="working" role="status">
      Loading…
    </p>
  ) : null;
}

/** What stands where a list has nothing in it. */
export const Nothing = ({ children }: { children: ComponentChildren }) => <p class="nothing">{children}</p>;
