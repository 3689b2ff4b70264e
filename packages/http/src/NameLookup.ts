import { lookup, Resolver } from "node:dns/promises"
import { type Destination, isOpened } from "@carillon/core/ports"

/** Resolves a host name to all of its addresses; rejects where there are none. Who no longer waits for them aborts the signal. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<ReadonlyArray<string>>

/** How long a name may take in all, and how often and how long each server is asked for it. */
const nameMaxMs = 5_000
const triesPerServer = 2
const tryMs = 1_500

/** The look-up of the operating system, with its hosts file and search domains. */
const systemResolver: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true, order: "ipv4first" })).map(({ address }) => address)

/**
 * Asks the name servers of this machine, or the given ones, from sockets of its own, and stops asking once its time is up. The operating system's look-up
 * waits on one of four threads that the whole process shares and cannot be cancelled there: a few names that nobody answers for hold up
 * every other name. It reads no hosts file and appends no search domain: a public name needs neither.
 */
export const publicResolver =
  (servers?: ReadonlyArray<string>): Resolve =>
  async (hostname, signal) => {
    const resolver = new Resolver({ timeout: tryMs, tries: triesPerServer })
    if (servers !== undefined) resolver.setServers(servers)
    const over = AbortSignal.any([signal, AbortSignal.timeout(nameMaxMs)])
    const cancel = () => resolver.cancel()
    over.addEventListener("abort", cancel, { once: true })
    const families = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    over.removeEventListener("abort", cancel)
    const addresses = families.flatMap((family) => (family.status === "fulfilled" ? family.value : []))
    if (addresses.length === 0) throw new Error("The name has no address, or nobody told it in time.")
    return addresses
  }

/** What the host of the engine has opened by name may be known to its machine only; all other names are chosen by customers and asked for in public. */
export const resolverFor = (
  { hostname, port }: Destination,
  allowed: ReadonlyArray<string>,
  resolvePublic: Resolve,
): Resolve => (isOpened({ hostname, port }, allowed) ? systemResolver : resolvePublic)
