import { createSocket } from "node:dgram"
import { parseDestination } from "@carillon/core/ports"
import { Result } from "effect"
import { afterEach, expect, it } from "vitest"
import { publicResolver, type Resolve, resolverFor } from "../src/NameLookup.ts"

const opened: Array<() => void> = []

afterEach(() => {
  for (const close of opened.splice(0)) close()
})

const v4 = 1
const headerBytes = 12

/** A name server that knows the address of `good.example.com` and never says a word about any other name. */
const nameServer = async () => {
  const socket = createSocket("udp4")
  const asked = new Map<string, number>()
  socket.on("message", (question, { address, port }) => {
    const labels: Array<string> = []
    let at = headerBytes
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString("latin1", at + 1, at + 1 + length))
      at += length + 1
    }
    const name = labels.join(".")
    asked.set(name, (asked.get(name) ?? 0) + 1)
    if (name !== "good.example.com") return
    const isV4 = question.readUInt16BE(at + 1) === v4
    const header = Buffer.from([question[0] ?? 0, question[1] ?? 0, 0x81, 0x80, 0, 1, 0, isV4 ? 1 : 0, 0, 0, 0, 0])
    const answer = isV4
      ? Buffer.from([0xc0, headerBytes, 0, v4, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7])
      : Buffer.alloc(0)
    socket.send(Buffer.concat([header, question.subarray(headerBytes, at + 5), answer]), port, address)
  })
  opened.push(() => socket.close())
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
  return { asked, resolve: publicResolver([`127.0.0.1:${socket.address().port}`]) }
}

it("answers for a name while any number of others are asked for in vain, and ends those by itself", async () => {
  const { resolve } = await nameServer()
  // More than four, the threads of the operating system's look-up.
  const silent = 50
  let pending = silent
  const ended = Promise.all(
    Array.from({ length: silent }, (_, nth) =>
      expect(
        resolve(`silent${nth}.example.com`, new AbortController().signal).finally(() => (pending -= 1)),
      ).rejects.toThrow(),
    ),
  )
  expect(await resolve("good.example.com", new AbortController().signal)).toEqual(["203.0.113.7"])
  expect(pending).toBe(silent)
  await ended
  expect(pending).toBe(0)
})

it("stops asking once nobody waits any more", async () => {
  const { asked, resolve } = await nameServer()
  const abort = new AbortController()
  const answer = resolve("silent.example.com", abort.signal)
  await expect.poll(() => asked.get("silent.example.com")).toBe(2)
  abort.abort()
  await expect(answer).rejects.toThrow()
  expect(asked.get("silent.example.com")).toBe(2)
})

it("leaves to the machine only the names that its host has opened", async () => {
  const inPublic: Resolve = () => Promise.resolve(["203.0.113.7"])
  const allowed = ["localhost:8080", "10.0.0.0/8"]
  const addressesOf = (url: string) => {
    const destination = Result.getOrThrow(parseDestination(url, allowed))
    return resolverFor(destination, allowed, inPublic)(destination.hostname, new AbortController().signal)
  }
  expect(await addressesOf("http://hooks.example.com/")).toEqual(["203.0.113.7"])
  expect(await addressesOf("http://localhost:8080/")).toContain("127.0.0.1")
})
