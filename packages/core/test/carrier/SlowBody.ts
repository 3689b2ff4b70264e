/** A callback whose body is on its way: so many bytes of it can be read at once, and the rest when it is told to end. */
export const slowCallback = (url: string, headers: Readonly<Record<string, string>>, bytes: number) => {
  const end = Promise.withResolvers<void>()
  let reads = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        reads += 1
        if (reads === 1) return controller.enqueue(new Uint8Array(bytes).fill(120))
        await end.promise
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return {
    request: new Request(url, { method: "POST", headers, body, duplex: "half" }),
    reads: () => reads,
    end: () => end.resolve(),
  }
}

/** Sends so many at once, and says how those were answered that did not wait for their end, once all that can be read was read. */
export const sentSlowly = async (
  handle: (request: Request) => Promise<Response>,
  count: number,
  callback: () => ReturnType<typeof slowCallback>,
) => {
  const early: Array<number> = []
  const sent = Array.from({ length: count }, callback)
  const answers = sent.map(async ({ request }) => {
    const { status } = await handle(request)
    early.push(status)
    return status
  })
  // Each is read until it waits, or was answered before.
  while (sent.filter(({ reads }) => reads() > 1).length + early.length < count) {
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return {
    refused: [...early],
    end: () => {
      for (const { end } of sent) end()
      return Promise.all(answers)
    },
  }
}
