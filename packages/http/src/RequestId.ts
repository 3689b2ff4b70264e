const sane = /^[A-Za-z0-9._-]{1,128}$/

/** The caller's own `X-Request-Id`, where it can be echoed safely; otherwise null and the engine mints one. */
export const echoedRequestId = (header: string | null): string | null =>
  header !== null && sane.test(header) ? header : null
