import type { Carillon, HostEvent } from "@carillon/http"

/** Where a reader keeps how far it has come: a row of your database, best of all the one that you write when you handle an event. */
export interface Cursors {
  readonly load: () => Promise<string | null>
  readonly save: (cursor: string) => Promise<void>
}

/** Handles every event at least once, in order, until the engine closes; after a restart it goes on where it was. */
export const follow = async (carillon: Carillon, cursors: Cursors, handle: (event: HostEvent) => Promise<void>) => {
  for await (const event of carillon.events((await cursors.load()) ?? "oldest")) {
    await handle(event)
    await cursors.save(event.cursor)
  }
}
