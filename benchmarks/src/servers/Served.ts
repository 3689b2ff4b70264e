import type { Server } from "node:http"
import type { AddressInfo } from "node:net"

/** What a server process tells its parent: where it listens, and what it has used of the CPU so far when asked. */
export type FromServer =
  | {
      readonly type: "listening"
      readonly port: number
      readonly key: string
      readonly dial: string
      readonly read: string
    }
  | { readonly type: "cpu"; readonly ms: number }

const tell = (message: FromServer) => process.send?.(message)

/** Announces a listening server to the parent process and answers its questions about CPU time. */
export const announce = (
  server: Server,
  work: { readonly key: string; readonly dial: string; readonly read: string },
) => {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    tell({ type: "listening", port: portOf(address), ...work })
  })
  process.on("message", () => {
    const { user, system } = process.cpuUsage()
    tell({ type: "cpu", ms: (user + system) / 1000 })
  })
  process.on("disconnect", () => process.exit(0))
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === "object" && address !== null ? address.port : 0
