import { createHash } from "node:crypto"
import { realpathSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { Data, Effect } from "effect"

/** Another process has the directory of an embedded PostgreSQL, which would be destroyed by a second one. */
export class DirectoryInUse extends Data.TaggedError("DirectoryInUse")<{ readonly directory: string }> {
  override get message(): string {
    return `${this.directory} is in use by another process`
  }
}

/**
 * A name that the operating system gives to one process at a time and takes back however that process ends: a file would outlive it.
 * Null where there is no such thing.
 */
const nameOf = (directory: string): string | null => {
  const digest = createHash("sha256").update(realpathSync(directory)).digest("hex")
  if (process.platform === "linux") return `\0carillon-${digest}`
  return process.platform === "win32" ? `\\\\.\\pipe\\carillon-${digest}` : null
}

const listening = (name: string, directory: string): Effect.Effect<Server, DirectoryInUse> =>
  Effect.callback((resume) => {
    const server = createServer((socket) => socket.destroy())
    server.unref()
    server.once("error", () => resume(Effect.fail(new DirectoryInUse({ directory }))))
    server.listen(name, () => resume(Effect.succeed(server)))
  })

/** Holds a directory for this process until the scope closes. Containers that share one do not see each other. */
export const holdDirectory = (directory: string) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const name = nameOf(directory)
      return name === null ? Effect.succeed(null) : listening(name, directory)
    }),
    (server) => Effect.sync(() => server?.close()),
  )
