/** Lets whatever else this machine's process has to do have a turn. */
export const turnOfTheEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
