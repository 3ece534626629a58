// Runs before the test runner is loaded, which would follow every promise, to name the test that an error thrown aside
// belongs to: a sixth of the time of all tests. Without that, such an error is printed here, and fails its file.
import hooks from "node:async_hooks";

const none = { enable: () => none, disable: () => none };
hooks.createHook = () => none;

for (const event of ["uncaughtException", "unhandledRejection"])
  process.on(event, (error) => {
    process.stderr.write(`${event}: ${error?.stack ?? error}\n`);
    process.exitCode = 1;
  });
