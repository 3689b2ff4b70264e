// Packs every package that is published into dist/tarballs, as npm would: `npm run tarballs`. The container of the server is built of them.
import { dirname, join } from "node:path"
import { packInto, published } from "./packages/Published.ts"

for (const file of packInto(join(dirname(import.meta.dirname), "dist/tarballs"), published())) console.log(file)
