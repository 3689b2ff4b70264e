// Loaded before an engine: each SIGUSR2 sets the clock of its process forward, as somebody who mends the clock of a machine would.
const jumpMs = Number(process.env["OPERATORS_JUMP_MS"] ?? 0)
const real = Date.now.bind(Date)
let ahead = 0

Date.now = () => real() + ahead
process.on("SIGUSR2", () => {
  ahead += jumpMs
})
