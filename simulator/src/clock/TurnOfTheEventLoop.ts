/** Lets everything else in this process have its turn. */
export const turnOfTheEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
