import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

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
    options: LanguageData & { readonly errorHandler: (error: unknown) => void },
  ) => Promise<TesseractWorker>
}

/** Where its languages are, and that it is to keep no copies of them in the working directory. */
interface LanguageData {
  readonly langPath: string
  readonly cacheMethod: "none"
}

interface TesseractWorker {
  readonly worker: { readonly once: (event: "error", listener: (error: unknown) => void) => unknown }
  readonly recognize: (image: Buffer) => Promise<{ readonly data: { readonly text: string } }>
  readonly terminate: () => Promise<unknown>
}

const isTesseract = (module: unknown): module is Tesseract =>
  typeof module === "object" && module !== null && typeof Reflect.get(module, "createWorker") === "function"

// A name that is not written into the `import`, so that nothing looks for the package where it is not wanted.
const tesseract = "tesseract.js"

const { resolve: resolveModule } = createRequire(import.meta.url)

/** The folder of an installed language, null where it is not installed. */
const installedLanguage = (language: string): string | null => {
  try {
    const root = dirname(resolveModule(`@tesseract.js-data/${language}/package.json`))
    const folders = ["4.0.0_best_int", "4.0.0"].map((name) => join(root, name))
    return folders.find((folder) => existsSync(join(folder, `${language}.traineddata.gz`))) ?? null
  } catch {
    return null
  }
}

/**
 * The reader of the optional package `tesseract.js`, null where it or its languages are not installed: by itself it would download
 * them when the first image comes.
 */
export const installedImageReader = async (
  languages: string,
  languageFolder = installedLanguage(languages),
): Promise<ImageReader | null> => {
  if (languageFolder === null) return null
  try {
    const module: unknown = await import(tesseract)
    return isTesseract(module) ? tesseractReader(module, languages, languageFolder) : null
  } catch {
    return null
  }
}

/** A reader of `tesseract.js` as it was imported: one worker for each image. */
export const tesseractReader = (
  { createWorker }: Tesseract,
  languages: string,
  languageFolder: string,
): ImageReader => {
  const data: LanguageData = { langPath: languageFolder, cacheMethod: "none" }
  // A worker that does not come up says so to its error handler alone, and cannot be ended: it is not tried again.
  let failure: { readonly error: unknown } | null = null
  const open = (): Promise<TesseractWorker> =>
    new Promise((resolve, reject) => {
      let isOpen = false
      const fail = (error: unknown) => {
        if (isOpen) return
        failure = { error }
        reject(new Error("The reader of images could not be started.", { cause: error }))
      }
      createWorker(languages, undefined, { ...data, errorHandler: fail }).then((worker) => {
        isOpen = true
        resolve(worker)
      }, fail)
    })
  return {
    read: async (bytes, signal) => {
      if (failure !== null) throw new Error("The reader of images could not be started.", { cause: failure.error })
      const worker = await open()
      const end = () => void worker.terminate().catch(() => {})
      // A worker that was ended takes no more work; asked all the same it would end the process.
      if (signal.aborted) {
        end()
        throw new Error("Nobody waits for the image any more.")
      }
      // Its thread's own errors would otherwise be nobody's, and end the process.
      const died = new Promise<never>((_, reject) => worker.worker.once("error", reject))
      signal.addEventListener("abort", end)
      try {
        return (await Promise.race([worker.recognize(Buffer.from(bytes)), died])).data.text
      } catch {
        throw new UnreadableImage()
      } finally {
        signal.removeEventListener("abort", end)
        end()
      }
    },
  }
}
