/** Runs it once more after it is done, if it was asked for meanwhile. */
export function oneAtATime(act: () => Promise<void>): () => void {
  let [isRunning, isWanted] = [false, false];
  const run = async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await act();
    }
    isRunning = false;
  };
  return () => void run();
}
