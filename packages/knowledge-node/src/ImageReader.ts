/** Reads the text of an image; rejects with `UnreadableImage` where the image is at fault, with anything else where it is not. */
export interface ImageReader {
  /** Must let go of everything that it holds when the signal aborts. */
  readonly read: (bytes: Uint8Array, signal: AbortSignal) => Promise<string>
}

/** The image is damaged. */
export class UnreadableImage extends Error {}

/** What is used of `tesseract.js`, which need not be installed. */
interface Tesseract {
  readonly createWorker: (
    languages: string,
    mode: undefined,
    options: { readonly errorHandler: (error: unknown) => void },
  ) => Promise<{
    readonly recognize: (image: Buffer) => Promise<{ readonly data: { readonly text: string } }>
    readonly terminate: () => Promise<unknown>
  }>
}

const isTesseract = (module: unknown): module is Tesseract =>
  typeof module === "object" && module !== null && typeof Reflect.get(module, "createWorker") === "function"

// A name that is not written into the `import`, so that nothing looks for the package where it is not wanted.
const tesseract = "tesseract.js"

/** The reader of the optional package `tesseract.js`, null where it is not installed. */
export const installedImageReader = async (languages: string): Promise<ImageReader | null> => {
  let module: unknown
  try {
    module = await import(tesseract)
  } catch {
    return null
  }
  if (!isTesseract(module)) return null
  const { createWorker } = module
  return {
    read: async (bytes, signal) => {
      // Without a handler of ours the package throws where nobody can catch it.
      const worker = await createWorker(languages, undefined, { errorHandler: () => {} })
      const end = () => void worker.terminate().catch(() => {})
      if (signal.aborted) end()
      signal.addEventListener("abort", end)
      try {
        return (await worker.recognize(Buffer.from(bytes))).data.text
      } catch {
        throw new UnreadableImage()
      } finally {
        signal.removeEventListener("abort", end)
        end()
      }
    },
  }
}
