import v8 from "node:v8";

/**
 * Has V8 collect often instead of growing with the memory that the machine has: a server of flags shares it with
 * others. Costs a few per cent of the processor's time under load, and saves half of the memory.
 */
export function keepHeapSmall() {
  v8.setFlagsFromString("--semi-space-growth-factor=1"); // the room for new objects stays as small as it begins
  v8.setFlagsFromString("--heap-growing-percent=50"); // old ones are looked at when there are half as many again
}
