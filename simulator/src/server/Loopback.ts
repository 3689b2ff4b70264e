const loopback = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/

/** Whether a bind address can be reached from this machine alone. */
export const isLoopback = (host: string): boolean => loopback.test(host)
