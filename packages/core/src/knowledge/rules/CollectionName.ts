/** Characters that a name may have at most. */
export const collectionNameMax = 100

const collectionName = new RegExp(`^[A-Za-z0-9_-]{1,${collectionNameMax}}$`)

/** Whether a text can name a knowledge base: it is part of a path. */
export const isCollectionName = (text: string): boolean => collectionName.test(text)
