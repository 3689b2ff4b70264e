/** What a command needs of the process that it runs in. */
export interface Console {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly readFile: (path: string) => Promise<string>
  readonly writeFile: (path: string, text: string) => Promise<void>
  /** True when the output is a terminal that shows colours. */
  readonly colour: boolean
}
