import { gap, required, specified } from "../Clause.ts"

export const experimentStatus = specified("States and transitions > Experiment status", [
  required("EXPERIMENT-STATUS-1", "http", "Values `draft`, `active`, `paused`, `concluded`"),
  required("EXPERIMENT-STATUS-2", "http", "`winner` is set only when concluded."),
  gap("EXPERIMENT-STATUS-G1", "http", "Transitions: not shown."),
])
