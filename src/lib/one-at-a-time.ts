/** Runs `act` one call at a time; calls during a run cause one more run after it. */
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
