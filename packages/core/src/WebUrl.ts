/** The parts of an absolute URL, as the WHATWG has them. */
interface WebUrl {
  readonly href: string
  readonly protocol: string
  readonly username: string
  readonly password: string
  readonly hostname: string
  readonly host: string
  readonly port: string
  readonly pathname: string
  readonly search: string
}

// Every runtime has the WHATWG parser; this package depends on no library of types that declares it.
declare const URL: new (text: string) => WebUrl

/** The parts of a text that is an absolute URL; null where it is none. */
export const parseUrl = (text: string): WebUrl | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
