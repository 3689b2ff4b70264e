/** Loaded into the process of a simulator under load: tells its parent how much memory it holds and how much of the processor it took, whenever asked. */
process.on("message", () => {
  globalThis.gc?.()
  process.send?.({ ...process.memoryUsage(), cpu: process.cpuUsage() })
})
// The channel alone keeps nobody alive.
process.channel?.unref()
