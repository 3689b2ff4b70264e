/** What a command needs of the process that it runs in. */
export interface Console {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly readFile: (path: string) => Promise<string>
  readonly writeFile: (path: string, text: string) => Promise<void>
  /** Asks whoever sits at the terminal; absent where nobody does. */
  readonly confirm?: (question: string) => Promise<boolean>
  /** A file that outlives the process, for what the next run may want to know. */
  readonly memory: { readonly read: () => Promise<string | undefined>; readonly write: (text: string) => Promise<void> }
  /** Shows a line that the next one replaces; absent where the output is no terminal. */
  readonly progress?: (line: string) => void
  /** Ends a run early. */
  readonly signal?: AbortSignal
  /** True when the output is a terminal that shows colours. */
  readonly colour: boolean
}
