import type { Server } from "node:http"
import type { AddressInfo } from "node:net"

/** What a server process tells its parent. */
export type FromServer =
  | {
      readonly type: "listening"
      readonly port: number
      readonly key: string
      readonly dial: string
      readonly read: string
    }
  | { readonly type: "cpu"; readonly ms: number }
  | { readonly type: "settled" }

/** What its parent asks: what it has used of the CPU so far, or that it ends and forgets what a round has left. */
export type ToServer = "cpu" | "settle"

/** Both answers of Carillon: servers that do only the JSON answer the very same. */
export interface Samples {
  readonly placed: object
  readonly read: object
}

/** The answers that this process is to give. */
export const samples = (): Samples => JSON.parse(process.argv[2] ?? "{}")

const tell = (message: FromServer) => process.send?.(message)

const cpu = () => {
  const { user, system } = process.cpuUsage()
  tell({ type: "cpu", ms: (user + system) / 1000 })
}

/** Announces a listening server to the parent process and does what that asks. */
export const announce = (
  server: Server,
  work: { readonly key: string; readonly dial: string; readonly read: string },
  settle: () => Promise<void> | void,
) => {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    tell({ type: "listening", port: portOf(address), ...work })
  })
  const settled = async () => {
    await settle()
    // What a round leaves is not collected in the round of another server.
    globalThis.gc?.()
    tell({ type: "settled" })
  }
  process.on("message", (asked: ToServer) => {
    if (asked === "cpu") cpu()
    else void settled()
  })
  process.on("disconnect", () => process.exit(0))
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === "object" && address !== null ? address.port : 0
